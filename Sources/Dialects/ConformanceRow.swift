internal import Formats
internal import Vocabulary

/// One operation of a protocol's page, as what its answers may be: the row of a table that the device's
/// side, the `conforms` invariant and the tests read. Each part names its source.
final class ConformanceRow: Sendable {
    /// `R1`: its name in docs/coverage.md.
    let page: String
    let operation: OperationName
    let answers: [ExpectedReply]
    /// Who says that there are no other statuses.
    let others: Deviation.Source

    init(
        page: String, operation: OperationName, answers: [ExpectedReply],
        others: Deviation.Source = .documented
    ) {
        self.page = page
        self.operation = operation
        self.answers = answers
        self.others = others
    }

    static func row(
        _ page: String, _ operation: OperationName, _ answers: [ExpectedReply],
        others: Deviation.Source = .documented
    ) -> ConformanceRow {
        ConformanceRow(page: page, operation: operation, answers: answers, others: others)
    }

    /// Source of the rule that this status is not allowed: if the row's own 4xx is ours, so is the absence of others.
    func source(ofOther status: Int) -> Deviation.Source {
        let refusals = 400..<500
        let isOwn = answers.contains { refusals.contains($0.status) && $0.source == .own }
        return others == .documented && isOwn && refusals.contains(status) ? .own : others
    }

    /// An answer with that status.
    struct ExpectedReply: Sendable {
        var status: Int
        var source: Deviation.Source
        var content: ReplyContent

        init(
            _ status: Int, _ content: ReplyContent, _ source: Deviation.Source = .documented
        ) {
            self.status = status
            self.content = content
            self.source = source
        }
    }

    /// What comes with a status.
    enum ReplyContent: Sendable {
        /// No body (§ 3.3: 204 and 302; N2, N3).
        case none
        /// No body, and somewhere to go.
        case location
        /// JSON or XML with these fields.
        case document([ConformanceField])
        /// JSON whatever was asked for, with these fields (§ 5).
        case json([ConformanceField])
        /// Bytes that are nobody's business (S1).
        case bytes
        /// A page for a browser (rest-v2.md § 5.4).
        case page
        /// What nobody judges (rest-v2.md, B15).
        case anything
        /// An error of § 4, classic or enhanced, or one of § 5.
        case error
        /// An error, or a page for a browser (N1 and its hops).
        case errorOrPage
    }
}

/// A field of a document: where it stands, what it is, who says so. A reference: each answer is held against
/// a dozen of them.
final class ConformanceField: Sendable {
    enum Kind: Sendable {
        case text
        /// 6 or 7 of `[A-Z0-9]` (A7).
        case code
        /// A string that is not empty: ids were seen that are no UUIDs (observed.md).
        case identifier
        case number
        /// Epoch milliseconds: a string of digits, as on the page, or a number (A21, observed.md).
        case epoch
        /// The same, spelled as the page has it; the other spelling is told as a reading
        /// (rest-v2.md, B6).
        case time(JSONDocument.Value.Kind)
        case flag
        /// One of these words.
        case word([String])
        case base64
        /// A string or a list of strings (U1's `zip`).
        case textOrTexts
        case object([ConformanceField])
        /// Objects with these fields under names that nobody knows beforehand.
        case map([ConformanceField])
        /// Anything at all.
        case anything
        /// A list; in XML the element that is repeated, which may stand for the list itself.
        case list(of: String, [ConformanceField])
        /// A list of strings.
        case texts

        var wanted: String {
            switch self {
            case .text: "a string"
            case .code: "6 or 7 of [A-Z0-9]"
            case .identifier: "a string that is not empty"
            case .number: "a number"
            case .epoch, .time: "a number of milliseconds, also as a string"
            case .flag: "true or false"
            case .word(let words): "one of \(words.joined(separator: ", "))"
            case .base64: "Base64"
            case .textOrTexts: "a string or a list of them"
            case .object: "an object"
            case .map: "an object of objects"
            case .anything: "anything"
            case .list: "a list"
            case .texts: "a list of strings"
            }
        }
    }

    /// In which spelling a field must be there.
    enum Presence: Sendable {
        case always, inJSON, inXML, optional
    }

    let name: String
    let kind: Kind
    let presence: Presence
    let source: Deviation.Source

    private init(name: String, kind: Kind, presence: Presence, source: Deviation.Source) {
        self.name = name
        self.kind = kind
        self.presence = presence
        self.source = source
    }

    static func required(
        _ name: String, _ kind: Kind, _ source: Deviation.Source = .documented,
        _ presence: Presence = .always
    ) -> ConformanceField {
        ConformanceField(name: name, kind: kind, presence: presence, source: source)
    }

    static func optional(
        _ name: String, _ kind: Kind, _ source: Deviation.Source = .documented
    ) -> ConformanceField {
        ConformanceField(name: name, kind: kind, presence: .optional, source: source)
    }
}
