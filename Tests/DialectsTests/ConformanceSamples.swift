import Formats

@testable import Dialects

/// Documents that have what a table asks for, to take something out of them or to change it.
extension ConformanceField {
    static func top(of content: ConformanceRow.ReplyContent) -> [ConformanceField] {
        switch content {
        case .document(let fields), .json(let fields): fields
        default: []
        }
    }

    /// All fields of a document, with their paths.
    static func all(
        in content: ConformanceRow.ReplyContent
    ) -> [(String, ConformanceField)] {
        flattened(top(of: content), under: "")
    }

    private static func flattened(
        _ fields: [ConformanceField], under path: String
    ) -> [(String, ConformanceField)] {
        fields.flatMap { field -> [(String, ConformanceField)] in
            let name = path + field.name
            switch field.kind {
            case .object(let inner), .map(let inner), .list(of: _, let inner):
                return [(name, field)]
                    + flattened(inner, under: "\(name).").filter {
                        // What is inside something optional is absent from the smallest sample.
                        field.presence != .optional || $0.1.presence == .optional
                    }
            default: return [(name, field)]
            }
        }
    }
}

extension JSON {
    static let grantError = JSON.object([
        Member(name: "error", value: .string("invalid_request"))
    ])

    /// A document with these fields: those that must be there, or (`and`) all, and strangers.
    static func sample(_ fields: [ConformanceField], and all: Bool = false) -> JSON {
        var members = fields.compactMap { field -> Member? in
            guard all || field.presence != .optional else { return nil }
            if case .number = field.kind, field.name == "expires" {
                return Member(name: field.name, value: .number("1760001800000"))
            }
            if case .text = field.kind, field.name == "requestor" {
                return Member(name: field.name, value: .string("DEMOTV"))
            }
            if field.name == "expires_in" {
                return Member(name: field.name, value: .number("21600"))
            }
            return Member(name: field.name, value: sample(field.kind, and: all))
        }
        if all { members.append(Member(name: "unheardOf", value: .array([.bool(true)]))) }
        return .object(members)
    }

    static func sample(_ kind: ConformanceField.Kind, and all: Bool) -> JSON {
        switch kind {
        case .text, .textOrTexts: .string("text")
        case .code: .string("Q7MK2XA")
        case .identifier: .string("678f9fea-a1cafec8-1ff0-4a26-8564-f6cd020acf13")
        case .number: .number("1760000000000")
        case .epoch: .string("1760001800000")
        case .time(.number): .number("1760001800000")
        case .time: .string("1760001800000")
        case .anything: .string("anything")
        case .map(let fields): .object([Member(name: "any name", value: sample(fields, and: all))])
        case .flag: .bool(true)
        case .word(let words): .string(words[0])
        case .base64: .string("dmQtMDAwMDAwMDAwMDAx")
        case .object(let fields): sample(fields, and: all)
        case .list(of: _, let fields): .array([sample(fields, and: all)])
        case .texts: .array([.string("one"), .string("two")])
        }
    }

    /// The document with the value at `path` replaced, or taken out; lists have one item here.
    func replacing(_ path: String, by value: JSON?) -> JSON {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        switch self {
        case .array(let items): return .array(items.map { $0.replacing(path, by: value) })
        case .object(let members) where members.count == 1 && members[0].name == "any name":
            return .object([
                Member(name: "any name", value: members[0].value.replacing(path, by: value))
            ])
        case .object(let members):
            return .object(
                members.compactMap { member in
                    guard member.name == parts[0] else { return member }
                    if parts.count == 2 {
                        return Member(
                            name: member.name, value: member.value.replacing(parts[1], by: value))
                    }
                    return value.map { Member(name: member.name, value: $0) }
                })
        default: return self
        }
    }

    var json: String {
        switch self {
        case .object(let members):
            "{\(members.map { "\(JSONText.quoted($0.name)):\($0.value.json)" }.joined(separator: ","))}"
        case .array(let items): "[\(items.map(\.json).joined(separator: ","))]"
        case .string(let text): JSONText.quoted(text)
        case .number(let digits): digits
        case .bool(let flag): "\(flag)"
        case .null: "null"
        }
    }
}
