/// Text in lines of a terminal's width. A command to copy stays on one line, however long it is: a
/// terminal breaks it where it must, and it is still pasted whole.
package enum Wrapping {
    /// Lines of at most `width` columns, broken at spaces; all but the first are indented by `hanging`
    /// columns. Only a word or a command that is longer by itself makes a longer line.
    package static func lines(_ text: String, width: Int, hanging: Int) -> [String] {
        var lines: [String] = []
        var line = String(text.prefix { $0 == " " })
        var isEmpty = true
        for word in words(text) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += isEmpty ? "\(word)" : " \(word)"
            isEmpty = false
        }
        return isEmpty ? lines : lines + [line]
    }

    /// An entry of a list: `text` beside `head`, which keeps its spaces, in a column of its own.
    package static func entry(_ head: String, _ text: String, width: Int) -> [String] {
        let rest =
            text.isEmpty ? [""] : lines(text, width: max(20, width - head.count), hanging: 0)
        return rest.enumerated().map { number, line in
            (number == 0 ? head : String(repeating: " ", count: head.count)) + line
        }
    }

    private static let program = "screenrig "

    /// What must not be broken: words, and commands. A command stands in quotes, `'screenrig try RIG'`,
    /// or after a colon, `again: screenrig replay CASE`, and then goes on to the end of the text.
    private static func words(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 != " " }) {
            rest = rest[start...]
            let end = endOfWord(rest, isAfterColon: words.last?.hasSuffix(":") ?? false)
            words.append(rest[..<end])
            rest = rest[end...]
        }
        return words
    }

    private static func endOfWord(_ rest: Substring, isAfterColon: Bool) -> Substring.Index {
        if isAfterColon, rest.hasPrefix(program) { return rest.endIndex }
        var from = rest.startIndex
        if let quote = rest.firstIndex(of: "'"),
            rest[..<quote].allSatisfy({ $0 != " " }),
            rest[rest.index(after: quote)...].hasPrefix(program),
            let closing = rest[rest.index(after: quote)...].firstIndex(of: "'")
        {
            from = closing
        }
        return rest[from...].firstIndex(of: " ") ?? rest.endIndex
    }
}
