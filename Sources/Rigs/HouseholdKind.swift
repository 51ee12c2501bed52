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
        /// The same two behind the AccessEnabler (access-enabler-sdk.md).
        case sdkTVOS = "sdk-tvos"
        case sdkIOS = "sdk-ios"

        /// Signs in on the device itself, in a web view.
        public var hasWebView: Bool { self == .ios || self == .ipados || self == .sdkIOS }
        /// The app talks to the SDK, not to the service.
        public var isSDK: Bool { self == .sdkTVOS || self == .sdkIOS }
    }

    public var name: String
    public var weight: Int
    public var firstScreen: FirstScreen
    public var secondScreens: Int
    public var device: DeviceInfo
    public var viewer: Viewer
    /// As whom it asks the service; nil: as the target says.
    public var application: Application?
    /// The platform's account framework, where the first screen asks it before anybody else.
    public var platform: PlatformSignOn?
    /// Plays on a TempPass, without anybody signing in (rest-v1.md § 10, N5).
    public var hasTempPass: Bool
    /// Share (0 to 1) of households in which two viewers sign in at once, as two users.
    public var hasSecondViewer: Double

    /// The human: times, and shares (0 to 1) of what people do wrong.
    public struct Viewer: Sendable, Hashable {
        /// Code shown → the viewer has the phone in hand and types.
        public var noticesCode: Distribution
        /// Login page shown → credentials sent.
        public var signsIn: Distribution
        public var givesUp: Double
        public var mistypesPassword: Double
        /// Types a code that nobody was given, and the right one after it.
        public var mistypesCode: Double
        /// Types the code in once more, after it has served.
        public var typesTwice: Double
        /// Cancels at the provider, and begins the login again.
        public var cancels: Double
        /// Comes once the code has run out.
        public var isTooLate: Double

        public init(
            noticesCode: Distribution = .lognormal(median: .seconds(8), p95: .seconds(30)),
            signsIn: Distribution = .lognormal(median: .seconds(20), p95: .seconds(90)),
            givesUp: Double = 0.03, mistypesPassword: Double = 0, mistypesCode: Double = 0,
            typesTwice: Double = 0, cancels: Double = 0, isTooLate: Double = 0
        ) {
            self.noticesCode = noticesCode
            self.signsIn = signsIn
            self.givesUp = givesUp
            self.mistypesPassword = mistypesPassword
            self.mistypesCode = mistypesCode
            self.typesTwice = typesTwice
            self.cancels = cancels
            self.isTooLate = isTooLate
        }
    }

    public init(
        name: String, weight: Int, firstScreen: FirstScreen = .tvos, secondScreens: Int = 1,
        device: DeviceInfo, viewer: Viewer = Viewer(), platform: PlatformSignOn? = nil,
        hasTempPass: Bool = false, hasSecondViewer: Double = 0, application: Application? = nil
    ) {
        self.name = name
        self.weight = weight
        self.firstScreen = firstScreen
        self.secondScreens = secondScreens
        self.device = device
        self.viewer = viewer
        self.platform = platform
        self.hasTempPass = hasTempPass
        self.hasSecondViewer = hasSecondViewer
        self.application = application
    }
}
