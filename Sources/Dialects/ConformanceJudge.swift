internal import Formats

/// One answer against one row.
struct ConformanceJudge {
    let table: ConformanceTable
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
        case .page: source.mediaType == .html ? [] : [contentType("text/html")]
        case .anything: []
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
        Deviation(rule: "\(table.page), \(row.page): \(rule)", found: found, source: source)
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
                    "the body is \(table.spelling)",
                    source.limit.map { "one with \($0)" }
                        ?? (reply.body.isEmpty
                            ? "no body" : table.knowsXML ? "neither" : "no JSON"))
            ]
        }
        check(fields, in: tree, isXML: isXML, at: nil, &found)
        return found.count > Self.most ? Array(found.prefix(Self.most)) : found
    }

    /// The header says what the body is (§ 3.2; A4: some pages label JSON as XML).
    private func spelling(isXML: Bool, mayBeXML: Bool) -> [Deviation] {
        let isLabelledXML = source.mediaType == .xml
        guard isLabelledXML && mayBeXML || source.mediaType == .json else {
            return [
                contentType(mayBeXML ? "application/json or application/xml" : "application/json")
            ]
        }
        // An empty one is told of by what it ought to be.
        guard isLabelledXML == isXML || reply.body.isEmpty else {
            return [
                deviation("the body is what Content-Type says", isXML ? "XML" : "JSON", .reading)
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
        if tree?["error"]?.text != nil { return document(Self.grantError, mayBeXML: false) }
        var fields = table.enhanced
        if let classic = table.classic, tree?["code"] == nil, tree?["action"] == nil {
            fields = classic
        }
        var found = document(fields, mayBeXML: table.knowsXML)
        if let status = tree?["status"]?.integer, status != Int64(reply.status) {
            found.append(
                deviation("the status of an error is that of the answer", "\(status)", .reading))
        }
        return found
    }

    /// rest-v1.md § 5.
    private static let grantError: [ConformanceField] = [.required("error", .text)]

    // MARK: Fields

    private func check(
        _ fields: [ConformanceField], in tree: JSONDocument.Value, isXML: Bool, at path: FieldPath?,
        _ found: inout [Deviation]
    ) {
        for position in fields.indices {
            check(fields, position, in: tree, isXML: isXML, at: path, &found)
        }
    }

    /// The field of that position: where it lies, for all lanes read the same fields, and to count who has one would
    /// have them wait for each other.
    private func check(
        _ fields: [ConformanceField], _ position: Int, in tree: JSONDocument.Value, isXML: Bool,
        at path: FieldPath?, _ found: inout [Deviation]
    ) {
        // In XML the root stands for the list that JSON names (Z1).
        let value =
            tree[fields[position].name]
            ?? (isXML && path == nil ? Self.rootList(fields[position].kind, tree) : nil)
        guard let value, value.kind != .null else {
            let isMissing =
                switch fields[position].presence {
                case .always: true
                case .inJSON: !isXML
                case .inXML: isXML
                case .optional: false
                }
            if isMissing {
                let field = fields[position]
                let name = FieldPath.text(field.name, in: path)
                let what = value == nil ? Self.missing(field.name, in: tree) : "null"
                found.append(deviation("\(name) is present", what, field.source))
            }
            return
        }
        switch fields[position].kind {
        case .object(let inner):
            guard value.kind == .object else {
                // An element without children reads as empty text.
                if isXML, value.isEmptyText { return }
                return mistyped(fields[position], path, value, &found)
            }
            let inside = FieldPath(fields[position].name, in: path)
            check(inner, in: value, isXML: isXML, at: inside, &found)
        case .list(let element, let inner):
            guard let items = Self.items(value, element, isXML: isXML) else {
                return mistyped(fields[position], path, value, &found)
            }
            let inside = FieldPath(fields[position].name, in: path)
            for item in items where found.count < Self.most {
                check(inner, in: item, isXML: isXML, at: inside, &found)
            }
        case .map(let inner):
            guard value.kind == .object else {
                return mistyped(fields[position], path, value, &found)
            }
            let inside = FieldPath(fields[position].name, in: path)
            for item in value.items where found.count < Self.most {
                guard item.kind == .object else {
                    return mistyped(fields[position], path, item, &found)
                }
                check(inner, in: item, isXML: isXML, at: inside, &found)
            }
        case .time(let spelling):
            guard Self.fits(value, .epoch, isXML: isXML) else {
                return mistyped(fields[position], path, value, &found)
            }
            if value.kind != spelling {
                let name = FieldPath.text(fields[position].name, in: path)
                let wanted = spelling == .string ? "a string" : "a number"
                found.append(
                    deviation("\(name) is spelled as \(wanted)", Self.sort(of: value), .reading))
            }
        case .anything: return
        default:
            if !Self.fits(value, fields[position].kind, isXML: isXML) {
                mistyped(fields[position], path, value, &found)
            }
        }
    }

    /// With the field that stands there under nearly that name: `missing; 'user_id' is there`.
    private static func missing(_ name: String, in tree: JSONDocument.Value) -> String {
        func letters(_ name: String) -> String {
            name.lowercased().filter { $0 != "_" && $0 != "-" }
        }
        guard tree.kind == .object,
            let other = tree.items.lazy.map(\.name).first(where: { letters($0) == letters(name) })
        else { return "missing" }
        return "missing; '\(other)' is there"
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
        var sort = Self.sort(of: value)
        if case .code = field.kind, value.kind == .string, let text = value.text {
            sort =
                "a string of \(text.count) \((6...7).contains(text.count) ? "other " : "")characters"
        }
        found.append(deviation("\(name) is \(field.kind.wanted)", sort, field.source))
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
        case .epoch: !text.isEmpty && ByteSet.digits.containsAll(text)
        case .word(let words): words.contains { text.isEqual(to: $0) }
        case .code: (6...7).contains(text.count) && codeLetters.containsAll(text)
        case .base64: !text.isEmpty && base64.containsAll(text)
        default: false
        }
    }

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
