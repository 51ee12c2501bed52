/// A form of a page, as far as submitting it needs: lenient like a browser, for pages of any make.
struct HTMLForm: Hashable {
    struct Field: Hashable {
        enum Kind: Hashable { case hidden, text, password, checked, submit }
        var kind: Kind
        var name: String
        var value: String
    }

    /// As written; empty means the page's own address.
    var action: String
    var isPost: Bool
    var fields: [Field]

    var asksPassword: Bool { fields.contains { $0.kind == .password } }

    /// What a browser would send: hidden fields echoed, the user in the first text field (or the one
    /// whose name says so), the password in the password field, and the first named button.
    func filled(user: String, password: String) -> [(String, String)] {
        let texts = fields.filter { $0.kind == .text }
        let userField = texts.first { Self.namesUser($0.name) } ?? texts.first
        var hasButton = false
        return fields.compactMap { field in
            guard !field.name.isEmpty else { return nil }
            switch field.kind {
            case .password: return (field.name, password)
            case .text: return (field.name, field == userField && asksPassword ? user : field.value)
            case .submit:
                defer { hasButton = true }
                return hasButton ? nil : (field.name, field.value)
            case .hidden, .checked: return (field.name, field.value)
            }
        }
    }

    private static func namesUser(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["user", "login", "email", "account", "identifier"].contains { name.contains($0) }
    }

    /// Every form of a page, in order. Comments and scripts do not count.
    static func all(in html: String) -> [HTMLForm] {
        var forms: [HTMLForm] = []
        var open: HTMLForm?
        for tag in HTMLTag.all(in: html) {
            switch tag.name {
            case "form":
                if let form = open { forms.append(form) }
                let method = tag["method"]?.lowercased() ?? "get"
                open = HTMLForm(action: tag["action"] ?? "", isPost: method == "post", fields: [])
            case "/form":
                if let form = open { forms.append(form) }
                open = nil
            case "input", "button", "select", "textarea":
                if let field = field(of: tag) { open?.fields.append(field) }
            default: break
            }
        }
        if let form = open { forms.append(form) }
        return forms
    }

    private static func field(of tag: HTMLTag) -> Field? {
        let name = tag["name"] ?? ""
        let value = tag["value"] ?? ""
        if tag["disabled"] != nil { return nil }
        if tag.name == "button" {
            let type = tag["type"]?.lowercased() ?? "submit"
            return type == "submit" && !name.isEmpty
                ? Field(kind: .submit, name: name, value: value) : nil
        }
        switch tag["type"]?.lowercased() ?? "text" {
        case "hidden": return Field(kind: .hidden, name: name, value: value)
        case "password": return Field(kind: .password, name: name, value: value)
        case "submit", "image":
            return name.isEmpty ? nil : Field(kind: .submit, name: name, value: value)
        case "checkbox", "radio":
            guard tag["checked"] != nil else { return nil }
            return Field(kind: .checked, name: name, value: tag["value"] ?? "on")
        case "button", "reset", "file": return nil
        default: return Field(kind: .text, name: name, value: value)
        }
    }
}

/// An opening or closing tag with its attributes; names in lower case, a closing tag's begins
/// with `/`.
struct HTMLTag {
    var name: String
    var attributes: [(name: String, value: String)]

    subscript(name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// The tags of a page in order; what stands in comments, scripts and styles is skipped.
    static func all(in html: String) -> [HTMLTag] {
        var tags: [HTMLTag] = []
        var scanner = Scanner(html)
        while let tag = scanner.nextTag() {
            tags.append(tag)
            if tag.name == "script" || tag.name == "style" { scanner.skip(past: "</" + tag.name) }
        }
        return tags
    }

    private struct Scanner {
        private let text: [UInt8]
        private var position = 0

        init(_ html: String) {
            text = Array(html.utf8)
        }

        mutating func nextTag() -> HTMLTag? {
            while let start = text[position...].firstIndex(of: UInt8(ascii: "<")) {
                position = start + 1
                if isAt(Self.commentStart) {
                    skip(past: "-->")
                } else if let name = word(), !name.isEmpty {
                    return HTMLTag(name: name.lowercased(), attributes: attributes())
                }
            }
            return nil
        }

        mutating func skip(past end: String) {
            let wanted = Array(end.lowercased().utf8)
            while position < text.count {
                if isAt(wanted) {
                    position += wanted.count
                    return
                }
                position += 1
            }
        }

        private static let commentStart = Array("!--".utf8)

        private func isAt(_ word: [UInt8]) -> Bool {
            guard position + word.count <= text.count else { return false }
            for (offset, wanted) in word.enumerated() {
                let byte = text[position + offset]
                let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                guard byte == wanted || isUpper && byte | 0x20 == wanted else { return false }
            }
            return true
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || (0x09...0x0d).contains(byte)
        }

        private mutating func skipSpace() {
            while position < text.count, Self.isSpace(text[position]) { position += 1 }
        }

        private mutating func word() -> String? {
            let start = position
            while position < text.count, !Self.isSpace(text[position]),
                text[position] != UInt8(ascii: ">"),
                text[position] != UInt8(ascii: "=")
            {
                if text[position] == UInt8(ascii: "/"), position > start { break }
                position += 1
            }
            return position > start ? String(decoding: text[start..<position], as: UTF8.self) : nil
        }

        private mutating func attributes() -> [(name: String, value: String)] {
            var found: [(name: String, value: String)] = []
            while position < text.count {
                skipSpace()
                guard position < text.count else { break }
                if text[position] == UInt8(ascii: ">") {
                    position += 1
                    break
                }
                if text[position] == UInt8(ascii: "/") {
                    position += 1
                    continue
                }
                guard let name = word() else {
                    position += 1
                    continue
                }
                found.append((name.lowercased(), value()))
            }
            return found
        }

        private mutating func value() -> String {
            skipSpace()
            guard position < text.count, text[position] == UInt8(ascii: "=") else { return "" }
            position += 1
            skipSpace()
            guard position < text.count else { return "" }
            let quote = text[position]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                let start = position
                while position < text.count, !Self.isSpace(text[position]),
                    text[position] != UInt8(ascii: ">")
                {
                    position += 1
                }
                return HTMLEntities.decode(String(decoding: text[start..<position], as: UTF8.self))
            }
            let start = position + 1
            position = text[start...].firstIndex(of: quote) ?? text.count
            let value = String(decoding: text[start..<position], as: UTF8.self)
            position = min(position + 1, text.count)
            return HTMLEntities.decode(value)
        }
    }
}

/// Character references in attribute values: numbers, and the names that forms use.
enum HTMLEntities {
    private static let named: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}",
    ]

    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = character(rest[rest.index(after: start)..<end])
            else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result += character
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return named[String(name)] }
        let digits = name.dropFirst()
        let number =
            digits.hasPrefix("x") || digits.hasPrefix("X")
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
