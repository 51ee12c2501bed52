import Formats

extension Reader {
    /// Input: a JSON document, as services answer with.
    static let json = Reader("json", limit: 4_096) { bytes in
        guard let tree = JSONReader.read(bytes) else { return nil }
        if tree.size > bytes.count { return "\(tree.size) values in \(bytes.count) bytes" }
        return JSONReader.read(Array(tree.json.utf8)) == tree
            ? nil : "written again it reads differently: \(tree.json)"
    }

    /// Input: an XML document, as services answer with.
    static let xml = Reader("xml", limit: 4_096) { bytes in
        guard let (root, tree) = XMLReader.read(bytes) else { return nil }
        if tree.size > bytes.count { return "\(tree.size) values in \(bytes.count) bytes" }
        guard let again = XMLReader.read(bytes), again == (root, tree) else {
            return "read twice it reads differently"
        }
        guard let text = tree.xml(named: root) else { return nil }
        guard let back = XMLReader.read(Array(text.utf8)), back == (root, tree) else {
            return "written again it reads differently: \(text)"
        }
        return nil
    }
}

extension JSON {
    /// How many values and names it holds.
    fileprivate var size: Int {
        switch self {
        case .object(let members): members.reduce(1) { $0 + $1.value.size }
        case .array(let items): items.reduce(1) { $0 + $1.size }
        default: 1
        }
    }

    fileprivate var json: String {
        switch self {
        case .object(let members):
            "{"
                + members.map { JSONText.quoted($0.name) + ":" + $0.value.json }
                .joined(separator: ",") + "}"
        case .array(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
        case .string(let text): JSONText.quoted(text)
        case .number(let digits): digits
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }

    /// As elements; nil where a name lost a prefix without which it is none.
    fileprivate func xml(named name: String) -> String? {
        let letters = name.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) }
        guard letters, !name.isEmpty else { return nil }
        switch self {
        case .object(let members):
            var text = ""
            for member in members {
                guard let inner = member.value.xml(named: member.name) else { return nil }
                text += inner
            }
            return "<\(name)>\(text)</\(name)>"
        case .string(let text):
            var escaped = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "<", ">", "&", "\r": escaped += "&#\(scalar.value);"
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return "<\(name)>\(escaped)</\(name)>"
        default: return nil
        }
    }
}
