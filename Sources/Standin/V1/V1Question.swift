internal import Dialects
internal import Formats

/// A request as V1 reads it: endpoint, format, parameters.
final class V1Question: Sendable {
    let request: ServiceRequest
    let route: V1Route
    /// What the path ends with, if it says a format.
    private let suffix: Spelling?
    private let query: FormFields
    private let form: FormFields

    init(_ request: ServiceRequest) {
        self.request = request
        let target = request.target.utf8Span.span
        var end = target.first(UInt8(ascii: "?"))
        query = FormFields(request.target, from: end + 1)
        form =
            request.method == .post && !request.body.isEmpty
            ? FormFields(String(decoding: request.body, as: UTF8.self), from: 0) : .none
        if target.holds(".json".utf8Span.span, at: end - 5) {
            end -= 5
            suffix = .json
        } else if target.holds(".xml".utf8Span.span, at: end - 4) {
            end -= 4
            suffix = .xml
        } else {
            suffix = nil
        }
        route = V1Route(target.extracting(0..<end))
    }

    /// § 3.3: suffix, then `format`, then `Accept`; XML with none (A4). Looked up when an answer is
    /// spelled: browsers get pages, and many answers have no body.
    var format: Spelling {
        if let suffix { return suffix }
        if let named = form["format"] ?? query["format"], let format = Self.format(named) {
            return format
        }
        return Self.accepted(request.headers["Accept"])
    }

    /// A parameter of the query or the form; the form wins (A2). An empty one counts as missing.
    subscript(name: String) -> String? {
        guard let value = form[name] ?? query[name], !value.isEmpty else { return nil }
        return value
    }

    /// A parameter that must be there.
    func required(_ name: String) throws(ClassicError) -> String {
        guard let value = self[name] else { throw ClassicError.missing(name) }
        return value
    }

    /// The bearer of the header, or of the older query parameter (§ 3.2).
    var bearer: Substring? {
        guard let header = request.headers["Authorization"] else {
            return self["access_token"].map { $0[...] }
        }
        return ServiceRequest.bearer(in: header)
    }

    /// Who signs with the older header, if the request does (observed.md).
    var signature: OlderSignature? {
        request.headers["Authorization"].flatMap { OlderSignature($0, method: request.method) }
    }

    /// `requestor`; clients that sign with the older header leave it to that on N3 and L1 (observed.md).
    var requestor: String? {
        if let named = self["requestor"] { return named }
        switch route.endpoint {
        case .checkAuthentication, .logout: return signature?.requestor
        default: return nil
        }
    }

    private static func format(_ name: String) -> Spelling? {
        switch name {
        case "json": .json
        case "xml": .xml
        default: nil
        }
    }

    /// Whichever of the two is named first; XML when neither is.
    private static func accepted(_ accept: String?) -> Spelling {
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
