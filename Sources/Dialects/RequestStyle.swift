/// What the service is asked to write its answers in, in protocols that have both.
public enum DocumentFormat: String, Sendable, CaseIterable { case json, xml }

/// Which format is asked for, and how (rest-v1.md § 3.3).
public struct FormatRequest: Sendable, Hashable {
    /// All four were seen (observed.md).
    public enum Means: String, Sendable, CaseIterable {
        /// `Accept: application/json`.
        case accept
        /// `format=json`, in a form where the request has one.
        case parameter
        /// `/regcode.json`.
        case suffix
        /// Nothing asks: the service answers in XML (A4).
        case none
    }

    public var document: DocumentFormat
    public var means: Means

    public init(_ document: DocumentFormat = .json, by means: Means = .accept) {
        self.document = document
        self.means = means
    }
}

/// How a device writes its requests where the protocol, or the habit of real clients, leaves a choice
/// (observed.md). One reference, as `DeviceInfo`.
public struct RequestStyle: Hashable, Sendable {
    /// Where device information goes (rest-v1.md § 3.4).
    public enum DeviceInfoPlace: String, Sendable, CaseIterable { case header, parameter, none }

    /// How R1 brings its parameters.
    public enum CodeRequest: String, Sendable, CaseIterable {
        /// A form as the body: seven of eight clients.
        case form
        /// A query, and `{}` as the body.
        case query
    }

    private struct Fields: Hashable {
        var signs: Bool
        var format: FormatRequest?
        var deviceInfo: DeviceInfoPlace
        var codeRequest: CodeRequest
        var parameters: Headers
        var headers: Headers
    }

    private final class Storage: Sendable {
        let fields: Fields
        /// Parameters of every request that names the device: `&deviceType=Roku`.
        let query: String
        let everywhere: [(String, String)]

        init(_ fields: Fields) {
            self.fields = fields
            everywhere = fields.parameters.fields.map { ($0.name, $0.value) }
                .filter { !RequestStyle.onCodesOnly.contains($0.0) }
            query = everywhere.isEmpty ? "" : "&" + FormEncoding.fields(everywhere)
        }
    }

    private let storage: Storage

    /// Registers a client, and shows its token with each request.
    public var signs: Bool { storage.fields.signs }
    /// Nil: as the target says.
    public var format: FormatRequest? { storage.fields.format }
    public var deviceInfo: DeviceInfoPlace { storage.fields.deviceInfo }
    public var codeRequest: CodeRequest { storage.fields.codeRequest }
    /// More parameters, in the order of the rig.
    public var parameters: Headers { storage.fields.parameters }
    /// More headers, on every request to whichever host: they are the device's, not the target's.
    public var headers: Headers { storage.fields.headers }

    /// A first screen of which nothing else is known.
    public static let usual = RequestStyle()

    /// Parameters that concern a code, and are sent with the request for one alone (§ 6, R1). The others
    /// name the device as `deviceId` does, and go wherever that goes (§ 3.1).
    static let onCodesOnly: Set<String> = ["registrationURL", "appVersion"]

    public init(
        signs: Bool = true, format: FormatRequest? = nil, deviceInfo: DeviceInfoPlace = .header,
        codeRequest: CodeRequest = .form, parameters: Headers = [:], headers: Headers = [:]
    ) {
        storage = Storage(
            Fields(
                signs: signs, format: format, deviceInfo: deviceInfo, codeRequest: codeRequest,
                parameters: parameters, headers: headers))
    }

    /// Parameters of every request that names the device, as the tail of a query.
    var query: String { storage.query }
    /// The same as fields of a form.
    var everywhere: [(String, String)] { storage.everywhere }

    public static func == (left: RequestStyle, right: RequestStyle) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.fields)
    }
}
