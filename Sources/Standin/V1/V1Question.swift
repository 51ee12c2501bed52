internal import Dialects

/// The two spellings of an answer.
enum V1Format: Sendable {
    case json, xml

    var contentType: String {
        switch self {
        case .json: "application/json;charset=utf-8"
        case .xml: "application/xml;charset=utf-8"
        }
    }
}

/// A request as V1 reads it: endpoint, format, parameters.
struct V1Question: Sendable {
    let request: ServiceRequest
    let route: V1Route
    /// What the path ends with, if it says a format.
    private let suffix: V1Format?
    private let query: FormFields
    private let form: FormFields

    init(_ request: ServiceRequest) {
        self.request = request
        let target = request.target
        let bytes = target.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var path = target[..<end]
        let afterMark = bytes.distance(from: bytes.startIndex, to: end) + 1
        query = FormFields(target, from: afterMark)
        form =
            request.method == .post && !request.body.isEmpty
            ? FormFields(String(decoding: request.body, as: UTF8.self), from: 0) : .none
        if path.utf8.hasSuffix(".json") {
            path = Substring(path.utf8.dropLast(5))
            suffix = .json
        } else if path.utf8.hasSuffix(".xml") {
            path = Substring(path.utf8.dropLast(4))
            suffix = .xml
        } else {
            suffix = nil
        }
        route = V1Route(path)
    }

    /// § 3.3: suffix, then `format`, then `Accept`; XML with none (A4). Looked up when an answer is
    /// spelled: browsers get pages, and many answers have no body.
    var format: V1Format {
        if let suffix { return suffix }
        if let named = form["format"] ?? query["format"], let format = Self.format(named) {
            return format
        }
        return Self.accepted(request.headers["Accept"])
    }

    /// A parameter of the query or the form; the form wins (A2). An empty one counts as missing.
    subscript(name: StaticString) -> String? {
        guard let value = form[name] ?? query[name], !value.isEmpty else { return nil }
        return value
    }

    /// A parameter that must be there.
    func required(_ name: StaticString) throws(ClassicError) -> String {
        guard let value = self[name] else { throw ClassicError.missing("\(name)") }
        return value
    }

    /// The bearer of the header, or of the older query parameter (§ 3.2).
    var bearer: Substring? {
        if let header = request.headers["Authorization"] {
            guard header.utf8.count > 7,
                String(Substring(header.utf8.prefix(7))).equalsIgnoringCase("Bearer ")
            else { return nil }
            return Substring(header.utf8.dropFirst(7))
        }
        return self["access_token"].map { $0[...] }
    }

    private static func format(_ name: String) -> V1Format? {
        switch name {
        case "json": .json
        case "xml": .xml
        default: nil
        }
    }

    /// Whichever of the two is named first; XML when neither is.
    private static func accepted(_ accept: String?) -> V1Format {
        guard let accept else { return .xml }
        if accept == "application/json" { return .json }
        for range in accept.utf8.split(separator: UInt8(ascii: ",")) {
            let type = Substring(range.prefix { $0 != UInt8(ascii: ";") }).trimmingSpaces()
            if type.equalsIgnoringCase("application/json") { return .json }
            if type.equalsIgnoringCase("application/xml") { return .xml }
        }
        return .xml
    }
}

extension Substring.UTF8View {
    fileprivate func hasSuffix(_ suffix: StaticString) -> Bool {
        let wanted = suffix.utf8CodeUnitCount
        guard let start = index(endIndex, offsetBy: -wanted, limitedBy: startIndex) else {
            return false
        }
        return suffix.withUTF8Buffer { self[start...].elementsEqual($0) }
    }
}
