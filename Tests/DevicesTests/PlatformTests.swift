import Dialects
import Journal
import TestSupport
import Testing

@testable import Devices
@testable import Rigs

private let now = Instant(nanoseconds: 1_000_000_000_000)
private let later = now + .seconds(60)
private let earlier = Instant(nanoseconds: 1)

private func provider(
    _ id: String, _ mapping: String = "", boarding: Provider.PlatformTerms.Boarding? = .supported,
    isEnabled: Bool = true, isListed: Bool = true
) -> Provider {
    Provider(
        id: id, displayName: id,
        platform: .init(
            isEnabled: isEnabled, boarding: boarding, isListed: isListed, mappingID: mapping))
}

private let providers = [
    provider("DemoCable", "m-cable"), provider("DemoSat", "m-sat", boarding: .picker),
    provider("Twin", "m-sat"), Provider(id: "Plain", displayName: "Plain"),
]

@Suite("Step 5 reads what the platform's picker brought")
struct PickerFindingTests {
    struct Row: CustomTestStringConvertible {
        var name: String
        var metadata: AccountMetadata?
        var error: AccountError?
        var finding: PickerFinding
        var testDescription: String { name }
    }

    /// The rows of apple-sso.md § 2.
    static let rows = [
        Row(
            name: "id present, fresh",
            metadata: AccountMetadata(providerID: .named("m-cable"), expires: later),
            finding: .signedIn(.named("m-cable"))),
        Row(
            name: "id present, no expiry (G4)",
            metadata: AccountMetadata(providerID: .named("m-cable")),
            finding: .signedIn(.named("m-cable"))),
        Row(
            name: "id present, expired",
            metadata: AccountMetadata(providerID: .named("m-cable"), expires: earlier),
            finding: .ownPicker),
        Row(
            name: "id present, expires this instant (G3)",
            metadata: AccountMetadata(providerID: .named("m-cable"), expires: now),
            finding: .ownPicker),
        Row(name: "nothing at all", finding: .ownPicker),
        Row(
            name: "another error, though the key is there",
            error: AccountError(.userCancelled, unsupportedProvider: .text("m-sat")),
            finding: .ownPicker),
        Row(
            name: "1 without the key", error: AccountError(.unsupportedProvider),
            finding: .ownPicker),
        Row(
            name: "1 with something that is no text",
            error: AccountError(.unsupportedProvider, unsupportedProvider: .other),
            finding: .ownPicker),
        Row(
            name: "1 with an id that maps: the first match of the list",
            error: AccountError(.unsupportedProvider, unsupportedProvider: .text("m-sat")),
            finding: .preselected("DemoSat")),
        Row(
            name: "1 with an id that maps to nothing",
            error: AccountError(.unsupportedProvider, unsupportedProvider: .text("M-SAT")),
            finding: .ownPicker),
    ]

    @Test("each row of the table", arguments: rows)
    func row(row: Row) {
        let result = MetadataResult(metadata: row.metadata, error: row.error)
        #expect(PickerFinding(result, at: now, providers: providers) == row.finding)
    }

    @Test(
        "the lists of the configuration",
        arguments: [
            (provider("a", "m"), true, true), (provider("a", "m", isListed: false), false, false),
            (provider("a", "m", boarding: .picker), true, false),
            (provider("a", "m", isEnabled: false), false, false), (provider("a", ""), false, false),
            (provider("a", "m", boarding: nil), true, false),
            (Provider(id: "a", displayName: "a"), false, false),
        ])
    func lists(provider: Provider, isOffered: Bool, isCapable: Bool) {
        #expect([provider].supportedOnPlatform.count == (isOffered ? 1 : 0))
        #expect([provider].signOnCapable.count == (isCapable ? 1 : 0))
    }
}

@Suite("The virtual account framework")
struct SubscriberAccountsTests {
    private func accounts(
        _ script: PlatformSignOn, cancelsLogin: Bool = false
    ) -> SubscriberAccounts {
        var accounts = SubscriberAccounts(
            script, own: .ofProvider("DemoCable"), subject: "viewer", cancelsLogin: cancelsLogin,
            at: now)
        accounts.learn(providers)
        return accounts
    }

    private static let supported = ["m-cable", "m-sat"]
    private static let token = MetadataRequest.VerificationToken(
        bytes: [1, 2], attributes: [], received: now)

    /// apple-sso.md § 3.2.
    @Test(
        "only what is undetermined prompts, and an answer stays",
        arguments: [
            (
                PlatformSignOn.Access.granted, PlatformSignOn.Prompt.deny, AccountAccess.granted,
                false
            ),
            (.denied, .allow, .denied, false), (.restricted, .allow, .restricted, false),
            (.undetermined, .allow, .granted, true), (.undetermined, .deny, .denied, true),
            (.undetermined, .ignore, .notDetermined, true),
        ])
    func prompts(
        access: PlatformSignOn.Access, prompt: PlatformSignOn.Prompt, status: AccountAccess,
        hasPrompted: Bool
    ) {
        var accounts = accounts(PlatformSignOn(access: access, prompt: prompt))
        let before = accounts.access
        let silent = accounts.checkAccessStatus(prompts: false)
        #expect(silent.access == before && !silent.hasPrompted)
        let asked = accounts.checkAccessStatus(prompts: true)
        #expect(asked.access == status && asked.hasPrompted == hasPrompted)
        let again = accounts.checkAccessStatus(prompts: true)
        #expect(again.access == status && again.hasPrompted == (status == .notDetermined))
    }

    /// The rows of apple-sso.md § 3.4 that end in an error.
    @Test(
        "what it cannot answer has its code",
        arguments: [
            (
                "no permission", PlatformSignOn(access: .denied), true,
                AccountError.Code.accessNotGranted
            ),
            ("out of order", PlatformSignOn(error: 6), false, .rejected),
            ("nobody, and no picker", PlatformSignOn(account: .none), false, .providerRejected),
            ("cancelled", PlatformSignOn(account: .none, picker: .cancel), true, .userCancelled),
            ("other", PlatformSignOn(account: .none, picker: .other), true, .unsupportedProvider),
            (
                "only listed", PlatformSignOn(account: .none, picker: .choose("DemoSat")), true,
                .unsupportedProvider
            ),
            (
                "not offered", PlatformSignOn(account: .none, picker: .choose("Plain")), true,
                .unsupportedProvider
            ),
        ])
    func errors(
        name: String, script: PlatformSignOn, isInteractive: Bool, code: AccountError.Code
    ) {
        var accounts = accounts(script)
        let request: MetadataRequest =
            isInteractive ? .interactive(supported: Self.supported) : .silent
        let result = accounts.enqueue(request, at: now)
        #expect(result.error?.code == code && result.metadata == nil)
        let hasKey = result.error?.unsupportedProvider == .text("m-sat")
        #expect(hasKey == (name == "only listed"))
    }

    @Test("a fresh account is told silently; one that ran out is told with its past, or asked for")
    func accountStates() {
        var fresh = accounts(PlatformSignOn())
        let told = fresh.enqueue(.silent, at: now)
        #expect(told.metadata?.provider(at: now) == .ofProvider("DemoCable"))
        var expired = accounts(PlatformSignOn(account: .expired))
        let past = expired.enqueue(.silent, at: now)
        #expect(past.metadata?.providerID != nil && past.metadata?.provider(at: now) == nil)
        let renewed = expired.enqueue(
            .interactive(supported: Self.supported), at: now)
        #expect(renewed.hasShownPicker && renewed.hasLoggedIn)
        #expect(renewed.metadata?.provider(at: now) == .named("m-cable"))
        #expect(expired.account?.provider == .named("m-cable"), "the account is stored")
    }

    @Test("whoever turns back at the login has cancelled")
    func cancelledLogin() {
        var accounts = accounts(PlatformSignOn(account: .none), cancelsLogin: true)
        let result = accounts.enqueue(
            .interactive(supported: Self.supported), at: now)
        #expect(result.error?.code == .userCancelled && accounts.account == nil)
    }

    @Test("it vouches with the provider's platform name, the viewer and the attributes asked for")
    func vouching() {
        var accounts = accounts(PlatformSignOn())
        var token = Self.token
        token.attributes = ["zip"]
        let request = MetadataRequest.vouching(token)
        let result = accounts.enqueue(request, at: now + .seconds(300))
        #expect(
            result.query
                == AttributeQuery(
                    verificationToken: [1, 2], provider: "m-cable", subject: "viewer",
                    attributes: ["zip"]))
        #expect(result.metadata?.attributeResponse == nil)
        let signed = result.signed(.document("<xml/>"))
        #expect(signed.metadata?.attributeResponse == "<xml/>" && signed.query == nil)
    }

    @Test("a token that is old is error 5, and what the platform refuses has the platform's code")
    func tokens() {
        var accounts = accounts(PlatformSignOn())
        let request = MetadataRequest.vouching(Self.token)
        let old = accounts.enqueue(request, at: now + .seconds(301))
        #expect(old.error?.code == .invalidVerificationToken && old.query == nil)
        let asked = accounts.enqueue(request, at: now)
        #expect(asked.query != nil)
        for code in AccountError.Code.allCases {
            let refused = asked.signed(.refused(code: code.rawValue, why: "a reason"))
            #expect(refused.error?.code == code && refused.error?.why == "a reason")
            #expect(refused.metadata == nil && refused.query == nil)
        }
        let unknown = asked.signed(.refused(code: 99, why: ""))
        #expect(unknown.error?.code == .serviceTemporarilyUnavailable)
    }

    @Test("an account that ran out vouches for nobody")
    func expiredVouching() {
        var accounts = accounts(PlatformSignOn(account: .expired))
        let result = accounts.enqueue(.vouching(Self.token), at: now)
        #expect(result.query == nil && result.metadata?.attributeResponse == nil)
        #expect(result.metadata?.providerID != nil)
    }

    /// apple-sso.md § 3.3: the two include flags.
    @Test("provider and expiry are told where the request includes them", arguments: [true, false])
    func includes(isIncluded: Bool) {
        var accounts = accounts(PlatformSignOn(account: .expired))
        var request = MetadataRequest.silent
        request.includesProvider = isIncluded
        let told = accounts.enqueue(request, at: now).metadata
        #expect((told?.providerID != nil) == isIncluded && told?.expires != nil)
        request = .silent
        request.includesExpiry = isIncluded
        let other = accounts.enqueue(request, at: now).metadata
        #expect((other?.expires != nil) == isIncluded && other?.providerID != nil)
        // G4: without an expiry the provider counts as signed in.
        #expect((other?.provider(at: now) == nil) == isIncluded)
    }

    @Test(
        "an error occurs at its place alone",
        arguments: [
            (PlatformSignOn.ErrorPlace.step2, [true, false, false]),
            (.step4, [false, true, false]), (.step7, [false, false, true]),
            (.any, [true, true, true]), (.relaunch, [false, false, false]),
        ])
    func places(place: PlatformSignOn.ErrorPlace, fails: [Bool]) {
        var accounts = accounts(PlatformSignOn(error: 3, errorPlace: place))
        let requests: [MetadataRequest] = [
            .silent, .interactive(supported: Self.supported),
            .vouching(Self.token),
        ]
        for (request, fails) in zip(requests, fails) {
            #expect((accounts.enqueue(request, at: now).error != nil) == fails, "\(request)")
        }
        guard place == .relaunch else { return }
        accounts.relaunch()
        for request in requests { #expect(accounts.enqueue(request, at: now).error != nil) }
    }

    /// apple-sso.md § 6.
    @Test(
        "the settings are changed while the app is closed",
        arguments: [
            (
                PlatformSignOn.Access.denied, PlatformSignOn.SettingsChange.grant,
                AccountAccess.granted
            ),
            (.restricted, .grant, .restricted), (.undetermined, .grant, .granted),
            (.granted, .withdraw, .denied), (.granted, .none, .granted),
            (.granted, .signOut, .granted),
        ])
    func settings(
        access: PlatformSignOn.Access, change: PlatformSignOn.SettingsChange, after: AccountAccess
    ) {
        var accounts = accounts(PlatformSignOn(access: access, settingsChange: change))
        accounts.relaunch()
        #expect(accounts.access == after && (accounts.account == nil) == (change == .signOut))
    }

    @Test(
        "a provider of the platform's that the app does not support is error 1 with its id",
        arguments: [
            ("Nowhere", "Nowhere"), ("Off", "m-off"),
        ])
    func unsupported(id: String, name: String) {
        var accounts = accounts(PlatformSignOn(account: .none, picker: .choose(id)))
        accounts.learn(providers + [provider("Off", "m-off", isEnabled: false)])
        let result = accounts.enqueue(.interactive(supported: Self.supported), at: now)
        #expect(result.hasShownPicker && result.error?.code == .unsupportedProvider)
        #expect(result.error?.unsupportedProvider == .text(name))
    }

    private static func television(_ version: String) -> DeviceInfo {
        let tv = DeviceInfo.appleTV
        return DeviceInfo(
            model: tv.model, version: tv.version, manufacturer: tv.manufacturer,
            osName: tv.osName, osVersion: version, primaryHardwareType: tv.primaryHardwareType,
            applicationId: tv.applicationId)
    }

    @Test("featured providers are of those offered; systems before version 11 get none")
    func featured() {
        let script = PlatformSignOn(
            filter: ["DemoSat", "DemoCable", "Plain"], featured: ["DemoCable"])
        for (version, featured) in [("10.2", []), ("11.0", ["m-cable"]), ("18", ["m-cable"])] {
            let lists = providers.offered(script.filter(on: Self.television(version)))
            #expect(lists.supported == ["m-sat", "m-cable"] && lists.featured == featured)
        }
        let narrow = PlatformSignOn(filter: ["DemoSat"]).filter(on: .appleTV)
        #expect(providers.offered(narrow).supported == ["m-sat"])
        #expect(PlatformSignOn().filter(on: .appleTV) == nil)
        #expect(providers.offered(nil).supported == ["m-cable", "m-sat", "m-sat"])
    }

    @Test("scripted errors occur where they can", arguments: AccountError.Code.allCases)
    func scripted(code: AccountError.Code) {
        var accounts = accounts(PlatformSignOn(error: code.rawValue))
        let requests: [(MetadataRequest, Bool)] = [
            (
                .silent,
                ![.unsupportedProvider, .userCancelled, .invalidVerificationToken].contains(code)
            ),
            (.interactive(supported: Self.supported), code != .invalidVerificationToken),
            (
                .vouching(Self.token),
                ![.unsupportedProvider, .userCancelled].contains(code)
            ),
        ]
        for (request, fails) in requests {
            let result = accounts.enqueue(request, at: now)
            #expect((result.error?.code == code) == fails)
        }
    }

    @Test("permission can be taken back at any time, and then nothing is told")
    func withdrawn() {
        var accounts = accounts(PlatformSignOn())
        accounts.withdrawPermission()
        #expect(accounts.checkAccessStatus(prompts: true).access == .denied)
        let result = accounts.enqueue(.silent, at: now)
        #expect(result.error?.code == .accessNotGranted)
    }
}

@Suite("A platform that is a program")
struct PlatformProgramTests {
    @Test(
        "its answer is the XML itself, or JSON with the XML, or a refusal",
        arguments: [
            ("\n <samlp:Response/>\n", PlatformAnswer.document("\n <samlp:Response/>\n")),
            (#"{"response": "<r/>"}"#, .document("<r/>")),
            (
                #"{"failed": "locked", "error": 4}"#,
                .refused(code: 4, why: "the platform program says 'locked'")
            ),
            (
                #"{"failed": "locked", "error": 99}"#,
                .refused(code: 3, why: "the platform program says 'locked'")
            ),
            (
                "{}",
                .refused(
                    code: 3, why: "the platform program answered neither 'response' nor 'failed'")
            ),
            (
                "hello",
                .refused(code: 3, why: "the platform program answered neither XML nor JSON")
            ),
        ])
    func answers(text: String, answer: PlatformAnswer) {
        #expect(PlatformAnswer(text) == answer)
    }
}
