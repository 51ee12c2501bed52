/// A YAML document as text and places: scalars are raw, never YAML's own types, so that `off`,
/// `1:30` and `0700` stay what was typed.
struct YAMLTree: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// `isQuoted`: in quotes or a block, so that an empty text is meant.
        case scalar(String, isQuoted: Bool)
        case list([YAMLTree])
        case map([Entry])
    }

    struct Entry: Sendable, Hashable {
        var key: String
        var keyPlace: Place
        var value: YAMLTree
    }

    var content: Content
    var place: Place

    /// The kind of node, for messages.
    var kind: String {
        switch content {
        case .scalar(let text, let isQuoted):
            text.isEmpty && !isQuoted ? "empty" : "'\(text)'"
        case .list: "a list"
        case .map: "a map"
        }
    }

    /// The entries of a map; nil for anything else.
    var entries: [Entry]? {
        get { if case .map(let entries) = content { entries } else { nil } }
        set { if let newValue { content = .map(newValue) } }
    }

    /// The value under `key` of a map.
    subscript(key: String) -> YAMLTree? {
        get { entries?.first { $0.key == key }?.value }
        set {
            guard var entries else { return }
            let position = entries.firstIndex { $0.key == key }
            switch (position, newValue) {
            case (let position?, let value?): entries[position].value = value
            case (let position?, nil): entries.remove(at: position)
            case (nil, let value?):
                entries.append(Entry(key: key, keyPlace: value.place, value: value))
            case (nil, nil): break
            }
            self.entries = entries
        }
    }
}

extension YAMLTree {
    /// The tree as a YAML document, in block style with every scalar in quotes: read back, it is
    /// the same tree.
    var yaml: String { lines().joined(separator: "\n") + "\n" }

    private func lines() -> [String] {
        switch content {
        case .scalar(let text, _): return [Self.quoted(text)]
        case .list(let items):
            if items.isEmpty { return ["[]"] }
            return items.flatMap { item in
                let lines = item.lines()
                return ["- " + lines[0]] + lines.dropFirst().map { "  " + $0 }
            }
        case .map(let entries):
            if entries.isEmpty { return ["{}"] }
            return entries.flatMap { entry in
                let key = Self.quoted(entry.key)
                let lines = entry.value.lines()
                return entry.value.isFlat
                    ? ["\(key): \(lines[0])"] : ["\(key):"] + lines.map { "  " + $0 }
            }
        }
    }

    private var isFlat: Bool {
        switch content {
        case .scalar: true
        case .list(let items): items.isEmpty
        case .map(let entries): entries.isEmpty
        }
    }

    /// Plain where YAML reads it back unchanged whatever stands around it, else in double quotes.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            text.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false
            && text.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "-._/%".contains($0))
            }
        if isPlain { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
