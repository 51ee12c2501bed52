public import Dialects
public import Statistics

/// A sort of household and its share of all.
public struct HouseholdKind: Sendable, Hashable {
    /// What shows the code, or would (rest-v1.md § 15, apple-sso.md § 5).
    public enum FirstScreen: String, Sendable, CaseIterable {
        /// Shows its code, and polls at once.
        case tvos
        /// Keeps its code to itself: a web view on the same device signs in.
        case ios, ipados
        /// As a tvOS device, with another make (rest-v2.md § 14).
        case androidTV = "android-tv"
        /// The same; its platform knows its user (rest-v2.md § 8.1).
        case fireTV = "fire-tv"
        case roku
        /// The first two behind the AccessEnabler (access-enabler-sdk.md).
        case sdkTVOS = "sdk-tvos"
        case sdkIOS = "sdk-ios"

        /// Signs in on the device itself, in a web view.
        public var hasWebView: Bool { self == .ios || self == .ipados || self == .sdkIOS }
        /// The app talks to the SDK, not to the service.
        public var isSDK: Bool { self == .sdkTVOS || self == .sdkIOS }
        /// Has the TV provider account of its platform (apple-sso.md).
        public var isApple: Bool { self == .tvos || hasWebView || isSDK }
        /// Its platform vouches for its user with each request (rest-v2.md § 8.1).
        public var hasPlatformIdentity: Bool { self == .fireTV || self == .roku }
    }

    public var name: String
    public var weight: Int
    public var firstScreen: FirstScreen = .tvos
    public var secondScreens: Int = 1
    public var device: DeviceInfo
    /// How its screens write their requests.
    public var requests = KindRequests()
    public var viewer: Viewer = Viewer()
    /// As whom it asks the service; nil: as the target says.
    public var application: Application?
    /// What the rig says of that; the rest is as the target says.
    var ownApplication = OwnApplication()
    /// The platform's account framework, where the first screen asks it before anybody else.
    public var platform: PlatformSignOn?
    /// Plays on a TempPass, without anybody signing in (rest-v1.md § 10, N5; rest-v2.md § 11).
    public var hasTempPass: Bool { pass != nil }
    public var pass: TempPass?
    /// What else than the device its requests are made for; nil: nothing.
    public var singleSignOn: SingleSignOn?
    /// The viewer chooses the provider on the TV, before there is a code.
    public var choosesOnFirstScreen: Bool = false
    /// Share (0 to 1) of households in which two viewers sign in at once, as two users.
    public var hasSecondViewer: Double = 0
    /// Those that come back with what the device has kept.
    public var returning: Returning = Returning()

    /// The human: times, and shares (0 to 1) of what people do wrong.
    public struct Viewer: Sendable, Hashable {
        /// Code shown → the viewer has the phone in hand and types.
        public var noticesCode: Distribution = .lognormal(median: .seconds(8), p95: .seconds(30))
        /// Login page shown → credentials sent.
        public var signsIn: Distribution = .lognormal(median: .seconds(20), p95: .seconds(90))
        public var givesUp: Double = 0.03
        public var mistypesPassword: Double = 0
        /// Types a code that nobody was given, and the right one after it.
        public var mistypesCode: Double = 0
        /// Types the code in once more, after it has served.
        public var typesTwice: Double = 0
        /// Cancels at the provider, and begins the login again.
        public var cancels: Double = 0
        /// Says no where the service asks whether the device may be let in.
        public var refuses: Double = 0
        /// Comes once the code has run out.
        public var isTooLate: Double = 0
        /// Presses the login's button twice.
        public var submitsTwice: Double = 0
        /// Reloads the page on which the login has ended.
        public var reloads: Double = 0
        /// Begins at a provider that is not theirs, goes back, and begins anew.
        public var changesProvider: Double = 0
        /// Types the code in small letters first, with a blank in the middle.
        public var typesSmall: Double = 0
        /// The phone is without a network for a while, between the login page and the password.
        public var losesNetwork: Double = 0
        /// Closes the app while it shows its code, and opens it again: it shows another.
        public var reopensApp: Double = 0
        /// The TV goes to standby while it shows its code, and then goes on polling for that.
        public var tvSleeps: Double = 0
        /// Resets the app: when it is opened again, it has lost what it had kept.
        public var resetsApp: Double = 0
    }
}

extension HouseholdKind: RigSection {
    static let blank = HouseholdKind(name: "household", weight: 1, device: .appleTV)
    static let keys: [Key<HouseholdKind>] = [
        Key(
            "name", .scalar(.shownText), into: \.name, "The name in reports and thresholds."),
        Key(
            "weight", .scalar(.count(1...100)), into: \.weight, "Its share of all households."),
        Key(
            "first-screen", .words(),
            set: { kind, screen in
                kind.firstScreen = screen
                kind.device = screen.usualDevice
            }, default: "tvos",
            "tvos, android-tv, fire-tv, roku: shows a code and polls at once. ios, ipados: signs in "
                + "with a web view on the device and polls when it closes. sdk-tvos, sdk-ios: the "
                + "same with the AccessEnabler SDK, which speaks adobe-pass-v1 only."),
        Key(
            "protocol", .words(),
            ifGiven: \.ownApplication.protocolName, example: "adobe-pass-v1", alternative: true,
            "Protocol that it speaks. Default: target.protocol."),
        Key(
            "requestor", .scalar(.shownText), ifGiven: \.ownApplication.requestor,
            example: "DEMOTV", alternative: true,
            "Id of the programmer (requestor) whose app it runs. Default: target.requestor."),
        Key(
            "software-statement", .scalar(.secret), ifGiven: \.ownApplication.softwareStatement,
            example: "${SOFTWARE_STATEMENT}", alternative: true,
            "Software statement with which it registers. Default: target.software-statement."),
        Key(
            "second-screens", .scalar(.count(1...10)), into: \.secondScreens,
            "Number of phones; each new attempt of the viewer uses the next one."),
        Key(
            "second-viewer", .scalar(.share), into: \.hasSecondViewer,
            "Share of households in which two users sign in concurrently: both with the code, "
                + "the second one on the last phone; with platform-sign-on, one through the "
                + "platform while the other types the code."),
        Key(
            "device", .section,
            set: { (kind, given: GivenDevice) in
                kind.device = given.over(kind.firstScreen.usualDevice)
            }, default: "{}",
            "What the first screen sends as X-Device-Info. Default: values that fit "
                + "first-screen; for tvos as shown here."),
        Key(
            "requests", section: \.requests, example: "{second-screen: {auth: none}}",
            "What the requests of its screens look like. Default: as those of such devices."),
        Key(
            "viewer", section: \.viewer, "The viewer's behaviour."),
        Key(
            "platform-sign-on", .section, ifGiven: \.platform, alternative: true,
            "Try the platform's TV provider account first: the device's state and the viewer's "
                + "answers."),
        Key(
            "provider-choice", .words(("second-screen", false), ("first-screen", true)),
            into: \.choosesOnFirstScreen,
            "Where the viewer chooses the provider: on the phone after typing the code, or on the "
                + "TV before it asks for a code."),
        Key(
            "single-sign-on", .section, ifGiven: \.singleSignOn, alternative: true,
            "Send with each request who the user is to the platform (fire-tv, roku) or to an "
                + "identity service; adobe-pass-v2 only."),
        Key(
            "returning",
            .either(.from(.scalar(.share)) { Returning(share: $0) }, .section), into: \.returning,
            default: "0%", example: "{share: 40%, away: \"uniform(10s, 60s)\"}", alternative: true,
            "Share of households that return with the client credentials, access token and provider "
                + "that the device has kept. 40%: they have signed in before the load begins, which no figure "
                + "counts. With away they sign in, close the app, stay away so long, and come back. "
                + "after-sign-in follows the return."),
        Key(
            "temp-pass",
            .either(
                .from(.scalar(.flag)) { $0 ? TempPass() : nil },
                .from(.section) { (pass: TempPass) in pass }), into: \.pass, default: "false",
            example: "{provider: TempPass, promotional: false}", alternative: true,
            "Play with a TempPass, without a sign-in; uses the first TempPass provider of the "
                + "service's configuration, or the one that is named."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        if hasTempPass, returning.share > 0 {
            reader.refuse(
                marks["returning"].place,
                "with temp-pass there is no sign-in to come back to; remove returning or temp-pass"
            )
        }
        if hasTempPass, platform != nil {
            reader.refuse(
                marks["temp-pass"].place,
                "with temp-pass there is no sign-in, so platform-sign-on has no effect; remove "
                    + "one of them")
        }
        if platform != nil, !firstScreen.isApple {
            reader.refuse(
                marks["platform-sign-on"].place,
                "platform-sign-on is the TV provider account of tvOS, iOS and iPadOS; remove it, or "
                    + "write first-screen: tvos")
        }
        if returning.shareBefore > 0, firstScreen.isSDK || hasSharedHomes {
            reader.refuse(
                marks["returning"].place,
                "households of the SDK, and those that share a home, return within the run only; write "
                    + "returning: {share: 40%, away: 60s}")
        }
        checkSingleSignOn(marks, &reader)
        guard firstScreen.hasWebView else { return }
        if marks.gives("provider-choice") {
            reader.refuse(
                marks["provider-choice"].place,
                "first-screen \(firstScreen.rawValue) signs in on the device itself, where the "
                    + "viewer chooses; remove provider-choice")
        }
        if marks.gives("second-screens") {
            reader.refuse(
                marks["second-screens"].place,
                "first-screen \(firstScreen.rawValue) signs in on the device itself and "
                    + "shows no code; remove second-screens")
        }
        let viewer = marks["viewer"]
        for key in [
            "wrong-code", "types-twice", "too-late", "small-letters", "reopens-app", "tv-sleeps",
        ]
        where viewer.gives(key) {
            reader.refuse(
                viewer[key].place,
                "first-screen \(firstScreen.rawValue) shows no code to type; remove \(key)")
        }
    }
}

extension HouseholdKind.FirstScreen {
    /// What is not given of a device is that of the usual one of this sort.
    fileprivate var usualDevice: DeviceInfo {
        switch self {
        case .tvos, .sdkTVOS: .appleTV
        case .ios, .sdkIOS: .phone
        case .ipados: .tablet
        case .androidTV: .androidTV
        case .fireTV: .fireTV
        case .roku: .roku
        }
    }
}

/// What `device:` gives of the first screen's information, by key.
private struct GivenDevice: RigSection {
    var fields: [String: String] = [:]

    static let blank = GivenDevice()
    static let keys: [Key<GivenDevice>] = [
        key("model", \.model, "Model of the device."),
        key("version", \.version, "Version of the app."),
        key("manufacturer", \.manufacturer, "Manufacturer of the device."),
        key("osName", \.osName, "Operating system."),
        key("osVersion", \.osVersion, "Version of the operating system."),
        key("primaryHardwareType", \.primaryHardwareType, "Type of hardware."),
        key("connectionType", \.connectionType, "Type of network connection."),
        key("applicationId", \.applicationId, "Id of the app."),
    ]

    private static func key(
        _ name: String, _ field: KeyPath<DeviceInfo, String>, _ text: String
    ) -> Key<GivenDevice> {
        Key(
            name, .scalar(.text), set: { $0.fields[name] = $1 },
            default: Spelling.quotedWhereNeeded(DeviceInfo.appleTV[keyPath: field]), text)
    }

    func over(_ usual: DeviceInfo) -> DeviceInfo {
        DeviceInfo(
            model: fields["model"] ?? usual.model, version: fields["version"] ?? usual.version,
            manufacturer: fields["manufacturer"] ?? usual.manufacturer,
            osName: fields["osName"] ?? usual.osName,
            osVersion: fields["osVersion"] ?? usual.osVersion,
            primaryHardwareType: fields["primaryHardwareType"] ?? usual.primaryHardwareType,
            connectionType: fields["connectionType"] ?? usual.connectionType,
            applicationId: fields["applicationId"] ?? usual.applicationId)
    }
}

extension HouseholdKind.Viewer: RigSection {
    static let blank = HouseholdKind.Viewer()
    static let keys: [Key<HouseholdKind.Viewer>] = [
        Key(
            "notices-code", .scalar(.distribution), into: \.noticesCode,
            "Time from the code on the TV to the code typed on the phone."),
        Key(
            "signs-in", .scalar(.distribution), into: \.signsIn,
            "Time from the login page to the credentials sent."),
        Key(
            "gives-up", .scalar(.share), into: \.givesUp,
            "Share of viewers who leave without signing in."),
        Key(
            "wrong-code", .scalar(.share), into: \.mistypesCode,
            "Share of viewers who first type a wrong code: the former one, where the TV showed another "
                + "before (code.new-code)."),
        Key(
            "types-twice", .scalar(.share), into: \.typesTwice,
            "Share of viewers who type the code again after the sign-in; not of oauth-device-grant."
        ),
        Key(
            "wrong-password", .scalar(.share), into: \.mistypesPassword,
            "Share of viewers who first type a wrong password."),
        Key(
            "cancels", .scalar(.share), into: \.cancels,
            "Share of viewers who cancel the login at the provider and start again."),
        Key(
            "refuses", .scalar(.share), into: \.refuses,
            "Share of viewers who refuse the device on the page that asks them; oauth-device-grant "
                + "only."),
        Key(
            "too-late", .scalar(.share), into: \.isTooLate,
            "Share of viewers who type the code after it has expired."),
        Key(
            "submits-twice", .scalar(.share), into: \.submitsTwice,
            "Share of viewers who press the login's button twice."),
        Key(
            "reloads", .scalar(.share), into: \.reloads,
            "Share of viewers who reload the page on which the login has ended."),
        Key(
            "changes-provider", .scalar(.share), into: \.changesProvider,
            "Share of viewers who begin at another provider, go back, and choose their own; not of "
                + "oauth-device-grant."),
        Key(
            "small-letters", .scalar(.share), into: \.typesSmall,
            "Share of viewers who first type the code in small letters, with a blank in the middle; "
                + "not of oauth-device-grant."),
        Key(
            "loses-network", .scalar(.share), into: \.losesNetwork,
            "Share of viewers whose phone loses its network for 3s on the login page."),
        Key(
            "reopens-app", .scalar(.share), into: \.reopensApp,
            "Share of viewers who close the TV's app while it shows its code, and open it again: it "
                + "shows another, and the former lives on."),
        Key(
            "tv-sleeps", .scalar(.share), into: \.tvSleeps,
            "Share of TVs that go to standby for three polling intervals while they show their code."
        ),
        Key(
            "resets-app", .scalar(.share), into: \.resetsApp,
            "Share of viewers who have reset the app when they open it again (returning, relaunch): its "
                + "credentials and its token are gone."),
    ]
}
