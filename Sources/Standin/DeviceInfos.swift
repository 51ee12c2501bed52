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
        let result = Base64.encode(Self.normalise(object).json())
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
        return Base64.encode(normalise(object).json())
    }

    /// "If the value holds `%`, percent-decode once; then Base64-decode; must parse as a JSON object
    /// with string `model` and `osName`."
    static func read(_ text: String) -> JSONValue? {
        let plain = text.utf8.contains(UInt8(ascii: "%")) ? Percent.decode(text) : text
        guard let bytes = Base64.decode(plain), let value = JSONValue(bytes),
            value["model"]?.string != nil, value["osName"]?.string != nil
        else { return nil }
        return value
    }

    private static func normalise(_ info: JSONValue) -> Document {
        func members(_ pairs: [(String, Document?)]) -> Document {
            .object(pairs.compactMap { name, value in value.map { (name, $0) } })
        }
        func text(_ name: String) -> Document? { info[name]?.spelled.map(Document.text) }
        func scalar(_ name: String) -> Document? {
            switch info[name] {
            case .number(let number):
                Int64(exactly: number).map(Document.number) ?? .text("\(number)")
            case .bool(let flag): .flag(flag)
            case .string(let text): .text(text)
            default: nil
            }
        }
        func version(_ name: String) -> Document? { info[name]?.spelled.map(Self.version) }
        return members([
            ("type", text("primaryHardwareType")), ("model", text("model")),
            ("version", version("version")),
            (
                "hardware",
                members([
                    ("name", text("model")), ("vendor", text("vendor")),
                    ("version", version("version")), ("manufacturer", text("manufacturer")),
                ])
            ),
            (
                "operatingSystem",
                members([
                    ("name", text("osName")), ("family", text("osFamily")),
                    ("vendor", text("osVendor")), ("version", version("osVersion")),
                ])
            ),
            (
                "browser",
                members([
                    ("name", text("browserName")), ("vendor", text("browserVendor")),
                    ("version", version("browserVersion")), ("userAgent", text("userAgent")),
                    ("originalUserAgent", text("userAgent")),
                ])
            ),
            (
                "display",
                members([
                    ("width", scalar("displayWidth")), ("height", scalar("displayHeight")),
                    ("ppi", scalar("displayPpi")), ("diagonalSize", scalar("diagonalScreenSize")),
                ])
            ),
            ("applicationId", text("applicationId")),
            (
                "connection",
                members([
                    ("ipAddress", text("connectionIp")), ("port", scalar("connectionPort")),
                    ("secure", scalar("connectionSecure")), ("type", text("connectionType")),
                ])
            ),
        ])
    }

    /// `11,1` and `17.4.2` alike.
    private static func version(_ text: String) -> Document {
        let parts = text.split(maxSplits: 3) { $0 == "." || $0 == "," }
        let names = ["major", "minor", "patch", "profile"]
        return .object(
            zip(names, parts).map { name, part in
                (name, Int64(part).map(Document.number) ?? .text(String(part)))
            })
    }
}
