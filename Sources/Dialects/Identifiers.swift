internal import Formats

/// A registration code as shown to the viewer, upper case (rest-v1.md, A7).
public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    public init(_ text: String) { self.text = text.uppercased() }
    public var description: String { text }

    /// Whether a TV can show it and a viewer type it. The protocols' pages have 6 or 7 characters; what is longer or shorter is
    /// reported as a deviation, and the sign-in goes on with it.
    static func canBeShown(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
                    || byte == UInt8(ascii: "-")
            }
    }
}

/// A value that must never be written down in clear: tokens, secrets, passwords. Printing it shows
/// nothing; only `reveal()` gives it away, and only codecs and transports call that.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let text: String
    public init(_ text: String) { self.text = text }
    public func reveal() -> String { text }
    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
}

/// What a device says it is; the keys are those of rest-v1.md § 3.4. One reference, so that the
/// identity, which goes along with each request, is cheap to pass on.
public struct DeviceInfo: Hashable, Sendable {
    private struct Fields: Hashable {
        let model: String
        let version: String
        let manufacturer: String
        let osName: String
        let osVersion: String
        let primaryHardwareType: String
        let connectionType: String
        let applicationId: String
    }

    private final class Storage: Sendable {
        let fields: Fields
        let header: String
        let plainHeader: String

        init(_ fields: Fields, header: String) {
            self.fields = fields
            self.header = FormEncoding.encode(header)
            plainHeader = header
        }
    }

    private let storage: Storage

    public var model: String { storage.fields.model }
    public var version: String { storage.fields.version }
    public var manufacturer: String { storage.fields.manufacturer }
    public var osName: String { storage.fields.osName }
    public var osVersion: String { storage.fields.osVersion }
    public var primaryHardwareType: String { storage.fields.primaryHardwareType }
    public var connectionType: String { storage.fields.connectionType }
    public var applicationId: String { storage.fields.applicationId }
    /// Base64 of its JSON, percent-encoded (rest-v1.md, A5), made once: every request carries it.
    package var header: String { storage.header }
    /// The same as Base64 alone (rest-v2.md § 3.2).
    package var plainHeader: String { storage.plainHeader }

    public init(
        model: String, version: String = "1.0", manufacturer: String = "Apple", osName: String,
        osVersion: String, primaryHardwareType: String, connectionType: String = "WiFi",
        applicationId: String = "screenrig"
    ) {
        let json = Self.json([
            ("primaryHardwareType", primaryHardwareType), ("model", model), ("version", version),
            ("manufacturer", manufacturer), ("vendor", manufacturer), ("osName", osName),
            ("osVersion", osVersion), ("connectionType", connectionType),
            ("applicationId", applicationId),
        ])
        storage = Storage(
            Fields(
                model: model, version: version, manufacturer: manufacturer, osName: osName,
                osVersion: osVersion, primaryHardwareType: primaryHardwareType,
                connectionType: connectionType, applicationId: applicationId),
            header: Base64.encode(json.utf8))
    }

    public static func == (left: DeviceInfo, right: DeviceInfo) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.fields)
    }

    /// The object of rest-v1.md § 3.4, keys in a fixed order.
    private static func json(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0.0)\":\(JSONText.quoted($0.1))" }.joined(separator: ",") + "}"
    }
}

/// One virtual device as the service knows it. One reference, for it goes along with each request.
public struct DeviceIdentity: Hashable, Sendable {
    private struct Fields: Hashable {
        let id: String
        let info: DeviceInfo
        var userAgent: String
        var forwardedFor: String?
        var style: RequestStyle
    }

    private final class Storage: Sendable {
        let fields: Fields
        let encodedID: String
        let fingerprint: String

        init(_ fields: Fields) {
            self.fields = fields
            encodedID = FormEncoding.encode(fields.id)
            fingerprint = "fingerprint " + Base64.encode(fields.id.utf8)
        }
    }

    private var storage: Storage

    /// Stable, unique device id, opaque to the service.
    public var id: String { storage.fields.id }
    /// The same as a value of a query, made once.
    var encodedID: String { storage.encodedID }
    /// The same with its type (rest-v2.md § 3.2), made once: nearly every request of that protocol carries it.
    package var fingerprint: String { storage.fingerprint }
    public var info: DeviceInfo { storage.fields.info }
    public var userAgent: String {
        get { storage.fields.userAgent }
        set { change { $0.userAgent = newValue } }
    }
    /// The public address it pretends to come from (`X-Forwarded-For`), if any.
    public var forwardedFor: String? {
        get { storage.fields.forwardedFor }
        set { change { $0.forwardedFor = newValue } }
    }
    /// How it writes its requests.
    public var style: RequestStyle {
        get { storage.fields.style }
        set { change { $0.style = newValue } }
    }

    public init(
        id: String, info: DeviceInfo, userAgent: String, forwardedFor: String?,
        style: RequestStyle = .usual
    ) {
        storage = Storage(
            Fields(
                id: id, info: info, userAgent: userAgent, forwardedFor: forwardedFor, style: style))
    }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields)
    }

    public static func == (left: DeviceIdentity, right: DeviceIdentity) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.fields)
    }
}

/// A registered client (rest-v1.md § 5, D1).
public struct ClientCredentials: Hashable, Sendable {
    public var id: String
    public var secret: Secret

    public init(id: String, secret: Secret) {
        self.id = id
        self.secret = secret
    }
}

/// An access token and how long it lives from its receipt.
public struct AccessToken: Hashable, Sendable {
    public var bearer: Secret
    public var lifetime: Duration

    public init(bearer: Secret, lifetime: Duration) {
        self.bearer = bearer
        self.lifetime = lifetime
    }
}

/// An issued registration code.
public struct IssuedCode: Hashable, Sendable {
    public var code: Code
    /// Life of the code from the moment the service made it.
    public var lifetime: Duration
    public var recordID: String?
    /// What polls name, where it is not the code on the screen.
    @Rare public var pollKey: Secret?
    /// The least time between polls, where the service asks for one.
    @Rare public var pollInterval: Duration?
    /// Where the viewer signs in, where the service says so.
    @Rare public var page: WebAddress?
    /// The same with the code in it, as a QR code shows it.
    @Rare public var completePage: WebAddress?
    /// The code as it is shown, where its letters are not all upper case.
    @Rare private var shown: String?
    /// Nobody has chosen a provider yet: the second screen completes the session.
    public var lacksProvider = false

    public init(
        code: Code, lifetime: Duration, recordID: String? = nil, pollKey: Secret? = nil,
        pollInterval: Duration? = nil, page: WebAddress? = nil, lacksProvider: Bool = false
    ) {
        self.code = code
        self.lifetime = lifetime
        self.recordID = recordID
        self.pollKey = pollKey
        self.pollInterval = pollInterval
        self.page = page
        self.lacksProvider = lacksProvider
    }

    /// What the viewer types, letter by letter.
    public var typed: String {
        get { shown ?? code.text }
        set { shown = newValue == code.text ? nil : newValue }
    }
}

/// A pay-TV provider as the configuration offers it.
public struct Provider: Hashable, Sendable {
    public var id: String
    public var displayName: String
    /// A trial that nobody signs in with (TempPass).
    public var isTempPass: Bool
    /// What it is to the platform's single sign-on; nil where it is not set up for it.
    public var platform: PlatformTerms?

    /// How a provider stands with the platform (rest-v1.md § 7, the five platform properties).
    public struct PlatformTerms: Hashable, Sendable {
        public enum Boarding: String, Sendable {
            /// Full single sign-on.
            case supported = "SUPPORTED"
            /// Only listed in the platform's picker.
            case picker = "PICKER"
        }

        /// `enablePlatformServices`.
        public var isEnabled: Bool
        public var boarding: Boarding?
        /// `displayInPlatformPicker`.
        public var isListed: Bool
        /// The provider's id on the platform; empty when the configuration gives none.
        public var mappingID: String
        public var requiredMetadata: [String]

        public init(
            isEnabled: Bool = true, boarding: Boarding? = .supported, isListed: Bool = true,
            mappingID: String, requiredMetadata: [String] = []
        ) {
            self.isEnabled = isEnabled
            self.boarding = boarding
            self.isListed = isListed
            self.mappingID = mappingID
            self.requiredMetadata = requiredMetadata
        }
    }

    public init(
        id: String, displayName: String, isTempPass: Bool = false, platform: PlatformTerms? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.isTempPass = isTempPass
        self.platform = platform
    }
}

/// What kind of device the platform's calls are made from (rest-v1.md § 3.1, A24).
public enum PlatformDevice: String, Hashable, Sendable {
    case tvOS, iOS
}

/// The account a viewer signs in with.
public struct Account: Hashable, Sendable {
    public var user: String
    public var password: Secret
    /// What the service calls the user in tokens; nil where nobody told.
    public var userID: String?

    public init(user: String, password: Secret, userID: String? = nil) {
        self.user = user
        self.password = password
        self.userID = userID
    }
}
