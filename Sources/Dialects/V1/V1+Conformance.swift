internal import Formats
internal import Vocabulary

/// Holds an answer against the table. The device itself is lenient; what it overlooks is noted here,
/// and only where the page speaks: unknown fields are no deviation.
extension V1 {
    /// The rows by operation, so that a poll need not search.
    private static let rows: [[ConformanceRow]] = OperationName.allCases.map { operation in
        conformance.filter { $0.operation == operation }
    }

    /// The row of a call. N3 as a poll target is N3 (rest-v1.md § 15), L2 is L1's GET; the hops after
    /// N1 have none (observed.md: 302, a form that posts itself, a meta refresh).
    static func row(of call: Call) -> ConformanceRow? {
        switch call.operation {
        case .pollToken where call.address.hasPath(endingWith: "/checkauthn"):
            rows[Int(OperationName.checkAuthentication.rawValue)].first
        case .authenticate where !call.address.hasPath(endingWith: "/api/v1/authenticate"): nil
        case .logout where call.method == .get: rows[Int(OperationName.logout.rawValue)].last
        default: rows[Int(call.operation.rawValue)].first
        }
    }

    func deviations(of reply: Reply, to call: Call) -> [Deviation] {
        deviations(of: ReplyDocument(reply), to: call)
    }

    func deviations(of document: ReplyDocument, to call: Call) -> [Deviation] {
        let reply = document.reply
        if reply.status == 429 { return Self.throttling(document) }
        // RFC 9110, 15.6: any server may fail at any request; that is counted as an error, and is no
        // word of the protocol.
        if (500..<600).contains(reply.status) { return [] }
        guard !Self.isPlainError(document), let row = Self.row(of: call) else { return [] }
        guard let expected = Self.expected(document, row) else {
            let listed = row.answers.map { String($0.status) }.joined(separator: ", ")
            return [
                Deviation(
                    rule: "rest-v1.md \(row.page): \(call.operation.name) answers \(listed)",
                    found: "status \(reply.status)",
                    // A16: one table allows 412 here, the other does not.
                    source: reply.status == 412 ? .reading : row.others)
            ]
        }
        return ConformanceJudge(row: row, source: document).deviations(from: expected)
    }

    private static func expected(
        _ document: ReplyDocument, _ row: ConformanceRow
    ) -> ConformanceRow.ExpectedReply? {
        let status = document.reply.status
        if let own = row.answers.first(where: { $0.status == status }) { return own }
        if let any = anywhere.first(where: { $0.status == status }) { return any }
        // § 5 [old]: the client is no longer known.
        let isUnknownClient =
            status == 403 && !document.isXML
            && document.read()?["error"]?.text == "invalid_client"
        return isUnknownClient ? .init(403, .error, .reading) : nil
    }

    /// The commonest answer of all, the "not yet" of a poll in its documented spelling, and its
    /// kind: known to be right without being read.
    private static func isPlainError(_ document: ReplyDocument) -> Bool {
        let reply = document.reply
        guard reply.body.count == plainPoll.count, reply.status == 404 else { return false }
        return reply.body == plainPoll && document.mediaType == .json
    }

    private static let plainPoll = Array(#"{"status":404,"message":"Not Found"}"#.utf8)

    /// § 14: an HTML page of the proxy in front, and nothing about when to come again.
    private static func throttling(_ document: ReplyDocument) -> [Deviation] {
        let reply = document.reply
        var found: [Deviation] = []
        if document.mediaType != .html {
            found.append(
                Deviation(
                    rule: "rest-v1.md 14: a 429 is text/html",
                    found: reply.mediaType.isEmpty ? "no Content-Type" : reply.mediaType))
        }
        if let wait = reply.headers["Retry-After"] {
            found.append(
                Deviation(
                    rule: "rest-v1.md 14: a 429 has no Retry-After",
                    found: "Retry-After: \(wait.prefix(40))"))
        }
        return found
    }
}

/// One answer against one row.
struct ConformanceJudge {
    let row: ConformanceRow
    let source: ReplyDocument
    private var reply: Reply { source.reply }

    /// A list of a thousand wrong items is one finding, a few times.
    private static let most = 8

    func deviations(from expected: ConformanceRow.ExpectedReply) -> [Deviation] {
        switch expected.content {
        case .none: bodiless(expected.source)
        case .location:
            reply.headers["Location"] == nil
                ? [deviation("Location is present", "none", expected.source)] : []
        case .document(let fields): document(fields, mayBeXML: true)
        case .json(let fields): document(fields, mayBeXML: false)
        case .bytes:
            source.mediaType == .bytes
                ? [] : [contentType("application/octet-stream")]
        case .error: error()
        case .errorOrPage: source.mediaType == .html ? [] : error()
        }
    }

    private func deviation(
        _ rule: String, _ found: String, _ source: Deviation.Source = .documented
    ) -> Deviation {
        Deviation(rule: "rest-v1.md \(row.page): \(rule)", found: found, source: source)
    }

    private func contentType(_ wanted: String) -> Deviation {
        deviation(
            "Content-Type is \(wanted)", reply.mediaType.isEmpty ? "none" : reply.mediaType)
    }

    private func bodiless(_ source: Deviation.Source) -> [Deviation] {
        // N2, N3: "no body defined" is a reading of 200; 204 has none by HTTP.
        guard !reply.body.isEmpty else { return [] }
        return [
            deviation(
                "\(reply.status) has no body", "\(reply.body.count) bytes",
                reply.status == 204 ? source : .reading)
        ]
    }

    // MARK: Documents

    private func document(_ fields: [ConformanceField], mayBeXML: Bool) -> [Deviation] {
        let isXML = source.isXML
        var found = spelling(isXML: isXML, mayBeXML: mayBeXML)
        guard let tree = source.read() else {
            return found + [
                deviation(
                    "the body is JSON or XML", source.limit.map { "one with \($0)" } ?? "neither")
            ]
        }
        for field in fields { check(field, in: tree, isXML: isXML, at: nil, &found) }
        return Array(found.prefix(Self.most))
    }

    /// The header says what the body is (§ 3.2; A4: some pages label JSON as XML).
    private func spelling(isXML: Bool, mayBeXML: Bool) -> [Deviation] {
        let isLabelledXML = source.mediaType == .xml
        guard isLabelledXML && mayBeXML || source.mediaType == .json else {
            return [
                contentType(mayBeXML ? "application/json or application/xml" : "application/json")
            ]
        }
        guard isLabelledXML == isXML, !reply.body.isEmpty else {
            return [
                deviation(
                    "the body is what Content-Type says",
                    reply.body.isEmpty ? "no body" : isXML ? "XML" : "JSON", .reading)
            ]
        }
        return []
    }

    private func error() -> [Deviation] {
        guard !reply.body.isEmpty else {
            // observed.md, N4: a poll that finds nothing is 404 without a body, too.
            return reply.status == 404
                ? [] : [deviation("an error has a body", "none", .reading)]
        }
        let tree = source.read()
        if tree?["error"]?.text != nil { return document(V1.grantError, mayBeXML: false) }
        let isEnhanced = tree?["code"] != nil || tree?["action"] != nil
        var found = document(isEnhanced ? V1.enhanced : V1.classic, mayBeXML: true)
        if let status = tree?["status"]?.integer, status != Int64(reply.status) {
            found.append(
                deviation("the status of an error is that of the answer", "\(status)", .reading))
        }
        return found
    }

    // MARK: Fields

    private func check(
        _ field: ConformanceField, in tree: JSONDocument.Value, isXML: Bool, at path: FieldPath?,
        _ found: inout [Deviation]
    ) {
        // In XML the root stands for the list that JSON names (Z1).
        let value =
            tree[field.name]
            ?? (isXML && path == nil ? Self.rootList(field.kind, tree) : nil)
        guard let value, value.kind != .null else {
            let isMissing =
                switch field.presence {
                case .always: true
                case .inJSON: !isXML
                case .inXML: isXML
                case .optional: false
                }
            if isMissing {
                let name = FieldPath.text(field.name, in: path)
                found.append(deviation("\(name) is present", "missing", field.source))
            }
            return
        }
        switch field.kind {
        case .object(let fields):
            guard value.kind == .object else {
                // An element without children reads as empty text.
                if isXML, value.isEmptyText { return }
                return mistyped(field, path, value, &found)
            }
            let inside = FieldPath(field.name, in: path)
            for inner in fields { check(inner, in: value, isXML: isXML, at: inside, &found) }
        case .list(let element, let fields):
            guard let items = Self.items(value, element, isXML: isXML) else {
                return mistyped(field, path, value, &found)
            }
            let inside = FieldPath(field.name, in: path)
            for item in items where found.count < Self.most {
                for inner in fields { check(inner, in: item, isXML: isXML, at: inside, &found) }
            }
        default:
            if !Self.fits(value, field.kind, isXML: isXML) { mistyped(field, path, value, &found) }
        }
    }

    /// Where a field stands. Written out only where it is needed: most fields are right.
    private final class FieldPath {
        private let name: String
        private let outer: FieldPath?

        init(_ name: String, in outer: FieldPath?) {
            self.name = name
            self.outer = outer
        }

        static func text(_ name: String, in path: FieldPath?) -> String {
            guard let path else { return name }
            return text(path.name, in: path.outer) + "." + name
        }
    }

    private func mistyped(
        _ field: ConformanceField, _ path: FieldPath?, _ value: JSONDocument.Value,
        _ found: inout [Deviation]
    ) {
        let name = FieldPath.text(field.name, in: path)
        found.append(
            deviation("\(name) is \(field.kind.wanted)", Self.sort(of: value), field.source))
    }

    private static func rootList(
        _ kind: ConformanceField.Kind, _ tree: JSONDocument.Value
    ) -> JSONDocument.Value? {
        guard case .list(let element, _) = kind else { return nil }
        return tree[element] == nil && !tree.isEmptyText ? nil : tree
    }

    private static func items(
        _ value: JSONDocument.Value, _ element: String, isXML: Bool
    ) -> [JSONDocument.Value]? {
        switch value.kind {
        case .array where !isXML: value.items
        case .object where isXML: value.items(element)
        case .string where isXML && value.text?.allSatisfy(\.isWhitespace) == true: []
        default: nil
        }
    }

    /// Whether a scalar, or a list of them, is what it should be. All is text in XML.
    private static func fits(
        _ value: JSONDocument.Value, _ kind: ConformanceField.Kind, isXML: Bool
    ) -> Bool {
        switch (kind, value.kind) {
        case (.texts, .array), (.textOrTexts, .array):
            value.items.allSatisfy { $0.kind == .string }
        case (.texts, .string), (.texts, .object): isXML
        case (.number, .number): true
        case (.number, .string): isXML && value.integer != nil
        case (.epoch, .number): value.integer != nil
        case (.flag, .flag): true
        case (.flag, .string): isXML && (value.text == "true" || value.text == "false")
        case (_, .string): value.withText { fits($0, kind) } ?? false
        default: false
        }
    }

    private static func fits(_ text: Span<UInt8>, _ kind: ConformanceField.Kind) -> Bool {
        switch kind {
        case .text, .textOrTexts: true
        case .identifier: !text.isEmpty
        case .epoch: !text.isEmpty && digits.containsAll(text)
        case .word(let words): words.contains { text.isEqual(to: $0) }
        case .code: (6...7).contains(text.count) && codeLetters.containsAll(text)
        case .base64: !text.isEmpty && base64.containsAll(text)
        default: false
        }
    }

    private static let digits = ByteSet { (48...57).contains($0) }
    private static let codeLetters = ByteSet { (48...57).contains($0) || (65...90).contains($0) }
    /// Of either alphabet.
    private static let base64 = ByteSet { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || "+/=-_".utf8.contains(byte)
    }

    /// What was found, without its content: it may be a secret.
    private static func sort(of value: JSONDocument.Value) -> String {
        switch value.kind {
        case .object: "an object"
        case .array: "a list"
        case .string: value.isEmptyText ? "an empty string" : "a string"
        case .number: "a number"
        case .flag: "true or false"
        case .null: "null"
        }
    }
}

extension JSONDocument.Value {
    /// `""`; in XML an element without content.
    fileprivate var isEmptyText: Bool { kind == .string && withText { $0.isEmpty } == true }
}
