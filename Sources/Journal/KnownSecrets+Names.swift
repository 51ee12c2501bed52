extension KnownSecrets {
    /// A shorter name stands in other words by chance.
    private static let shortestName = 4
    /// Accounts of a test have such names, which name nobody and stand in addresses and forms.
    private static let nobody: Set<String> = [
        "account", "admin", "demo", "guest", "login", "name", "pass", "password", "secret", "test",
        "tester", "user", "username", "viewer",
    ]

    /// A peer's words without the names of the household's own people: a page that turns somebody down may repeat the name,
    /// and a cause is to be the same for all whom it is the cause of, and may be shown to people who do not know them.
    func withoutNames(_ text: String) -> String {
        names.flatMap(Self.forms).reduce(text) { text, name in
            guard name.utf8.count >= Self.shortestName, !Self.nobody.contains(name),
                text.contains(name)
            else { return text }
            var result = ""
            var rest = text.startIndex
            for range in text.ranges(of: name) where range.lowerBound >= rest {
                let end = text.endOfAddress(after: range.upperBound)
                guard !text.continues(a: range.lowerBound..<end) else { continue }
                result += text[rest..<range.lowerBound] + "(user)"
                rest = end
            }
            return result + text[rest...]
        }
    }

    /// A name as it was typed, in small letters, and as a form's address has it.
    private static func forms(of name: String) -> [String] {
        let plain = name.contains("@") ? [name, name.replacing("@", with: "%40")] : [name]
        return plain + plain.map { $0.lowercased() }
    }
}

extension String {
    /// The end of a mail address whose first part, a name, ends there; there itself where none goes on: `anna@example.com`.
    fileprivate func endOfAddress(after name: Index) -> Index {
        let rest = self[name...]
        guard let sign = ["@", "%40"].first(where: { rest.hasPrefix($0) }) else { return name }
        let host = rest.dropFirst(sign.count).prefix {
            $0.isLetter || $0.isNumber || $0 == "." || $0 == "-"
        }
        let end = host.lastIndex { $0.isLetter || $0.isNumber }
        return end.map(host.index(after:)) ?? name
    }

    /// Whether a longer word, address or name goes on before or after that part of it: `test` in `auth.test.example`.
    fileprivate func continues(a part: Range<Index>) -> Bool {
        func isWord(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber } ?? false
        }
        func goesOn(_ next: some Sequence<Character>) -> Bool {
            var next = next.makeIterator()
            guard let first = next.next() else { return false }
            return isWord(first) || ".-_@".contains(first) && isWord(next.next())
        }
        return goesOn(self[part.upperBound...]) || goesOn(self[..<part.lowerBound].reversed())
    }
}
