internal import Formats
internal import Signing

/// Device information as it comes (rest-v1.md § 3.4) and as a code record gives it back (§ 6).
/// Millions of requests carry a few hundred different ones, so that what was read is remembered.
struct DeviceInfos: Sendable {
    private var known: [String: String] = [:]
    /// The last few that were asked for: comparing them is cheaper than hashing 400 bytes, and free
    /// where the very same text comes again.
    private var recent: [(text: String, result: String)] = []
    private static let most = 512
    private static let mostRecent = 4

    /// The Base64 of the normalised object; nil when `text` is none.
    mutating func normalised(_ text: String) -> String? {
        for one in recent where one.text == text { return one.result }
        guard let result = looked(text) else { return nil }
        if recent.count >= Self.mostRecent { recent.removeFirst() }
        recent.append((text, result))
        return result
    }

    private mutating func looked(_ text: String) -> String? {
        if let found = known[text] { return found }
        guard let object = Self.read(text) else { return nil }
        let result = Base64.encode(Self.normalised(object))
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        known[text] = result
        return result
    }

    /// For a device that sent none, in lenient mode.
    static func derived(userAgent: String) -> String {
        let object: JSONValue = .object([
            "model": .string(userAgent.isEmpty ? "unknown" : userAgent),
            "osName": .string("unknown"), "userAgent": .string(userAgent),
        ])
        return Base64.encode(normalised(object))
    }

    /// "If the value holds `%`, percent-decode once; then Base64-decode; must parse as a JSON object
    /// with string `model` and `osName`."
    static func read(_ text: String) -> JSONValue? {
        let plain = Percent.decode(text.utf8Span.span)
        guard let bytes = Base64.decode(plain), let value = JSONValue(bytes),
            value["model"]?.string != nil, value["osName"]?.string != nil
        else { return nil }
        return value
    }

    private static func normalised(_ info: JSONValue) -> [UInt8] {
        DocumentWriter.json { document in
            document.text("type", info, "primaryHardwareType")
            document.text("model", info, "model")
            document.version("version", info, "version")
            document.object("hardware") {
                $0.text("name", info, "model")
                $0.text("vendor", info, "vendor")
                $0.version("version", info, "version")
                $0.text("manufacturer", info, "manufacturer")
            }
            document.object("operatingSystem") {
                $0.text("name", info, "osName")
                $0.text("family", info, "osFamily")
                $0.text("vendor", info, "osVendor")
                $0.version("version", info, "osVersion")
            }
            document.object("browser") {
                $0.text("name", info, "browserName")
                $0.text("vendor", info, "browserVendor")
                $0.version("version", info, "browserVersion")
                $0.text("userAgent", info, "userAgent")
                $0.text("originalUserAgent", info, "userAgent")
            }
            document.object("display") {
                $0.scalar("width", info, "displayWidth")
                $0.scalar("height", info, "displayHeight")
                $0.scalar("ppi", info, "displayPpi")
                $0.scalar("diagonalSize", info, "diagonalScreenSize")
            }
            document.text("applicationId", info, "applicationId")
            document.object("connection") {
                $0.text("ipAddress", info, "connectionIp")
                $0.scalar("port", info, "connectionPort")
                $0.scalar("secure", info, "connectionSecure")
                $0.text("type", info, "connectionType")
            }
        }
    }
}

/// Members that are left out where the device said nothing of them.
extension DocumentWriter {
    fileprivate mutating func text(_ name: String, _ info: JSONValue, _ source: String) {
        if let text = info[source]?.spelled { self.text(name, text) }
    }

    fileprivate mutating func scalar(_ name: String, _ info: JSONValue, _ source: String) {
        switch info[source] {
        case .number(let number):
            if let whole = Int64(exactly: number) {
                self.number(name, whole)
            } else {
                text(name, "\(number)")
            }
        case .bool(let flag): self.flag(name, flag)
        case .string(let text): self.text(name, text)
        default: break
        }
    }

    /// `11,1` and `17.4.2` alike.
    fileprivate mutating func version(_ name: String, _ info: JSONValue, _ source: String) {
        guard let text = info[source]?.spelled else { return }
        let parts = text.split(maxSplits: 3) { $0 == "." || $0 == "," }
        object(name) { version in
            for (name, part) in zip(["major", "minor", "patch", "profile"], parts) {
                if let number = Int64(part) {
                    version.number(name, number)
                } else {
                    version.text(name, String(part))
                }
            }
        }
    }
}
