/// Changes to the text of a YAML document at the places of its tree: whatever no change touches stays as
/// somebody typed it, comments, order and blank lines.
struct TextEdits {
    private let text: [Unicode.Scalar]
    /// Where each line begins; one more than there are lines.
    private let lineStarts: [Int]
    private var edits: [(range: Range<Int>, new: String)] = []

    init(_ text: String) {
        self.text = Array(text.unicodeScalars)
        var starts = [0]
        for (position, scalar) in self.text.enumerated() where scalar == "\n" {
            starts.append(position + 1)
        }
        if starts.last != self.text.count { starts.append(self.text.count) }
        lineStarts = starts
    }

    /// The text with all changes; those inside of something that goes are lost with it.
    var result: String {
        let outermost = edits.filter { edit in
            !edits.contains { Self.swallows($0.range, edit.range) }
        }.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
        var result = String.UnicodeScalarView()
        var done = 0
        for edit in outermost where edit.range.lowerBound >= done {
            result.append(contentsOf: text[done..<edit.range.lowerBound])
            result.append(contentsOf: edit.new.unicodeScalars)
            done = edit.range.upperBound
        }
        result.append(contentsOf: text[done...])
        return String(result)
    }

    /// Whether a change inside of `outer` is lost with it. What is put in at either end of it stays.
    private static func swallows(_ outer: Range<Int>, _ inner: Range<Int>) -> Bool {
        guard outer != inner, !outer.isEmpty else { return false }
        return inner.isEmpty
            ? outer.lowerBound < inner.lowerBound && inner.lowerBound < outer.upperBound
            : outer.lowerBound <= inner.lowerBound && inner.upperBound <= outer.upperBound
    }

    // MARK: Changes

    /// Another text in the place of a scalar, in quotes where it was in quotes.
    mutating func replace(_ scalar: YAMLTree, by new: String) {
        // Somewhere else the same value is replaced where it is written out, or it is in order there.
        if isAlias(scalar) { return }
        let range = start(of: scalar)..<end(of: scalar)
        switch text[range].first {
        case "'": edits.append((range, "'\(new.replacing("'", with: "''"))'"))
        case "\"":
            let escaped = new.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            edits.append((range, "\"\(escaped)\""))
        default: edits.append((range, new))
        }
    }

    /// A key more, below the entry `key` of a map, or as its first where there is none of that name.
    mutating func insert(_ line: String, after key: String, in map: YAMLTree) {
        guard let entries = map.entries, let first = entries.first, !isAlias(map) else { return }
        let above = entries.first { $0.key == key }
        if isFlow(map) {
            if let above {
                edits.append((empty(at: end(of: above.value)), ", \(line)"))
            } else {
                edits.append((empty(at: start(of: map) + 1), "\(line), "))
            }
            return
        }
        let entry = above ?? first
        let indent = String(repeating: " ", count: max(0, entry.keyPlace.column - 1))
        if above != nil {
            edits.append((empty(at: lineEnd(after: end(of: entry.value))), "\(indent)\(line)\n"))
        } else {
            edits.append((empty(at: offset(entry.keyPlace)), "\(line)\n\(indent)"))
        }
    }

    /// Takes entries out of a map. True, and nothing changed, where none would be left.
    mutating func remove(_ keys: Set<String>, from map: YAMLTree) -> Bool {
        if isAlias(map) { return false }
        let entries = map.entries ?? []
        let isGone = entries.map { keys.contains($0.key) }
        guard isGone.contains(true) else { return false }
        guard isGone.contains(false) else { return true }
        let spans = entries.map { offset($0.keyPlace)..<end(of: $0.value) }
        if isFlow(map) {
            removeRuns(isGone, spans)
            return false
        }
        for (position, span) in spans.enumerated() where isGone[position] {
            let next = spans.indices.first { $0 > position && !isGone[$0] }
            if !beginsLine(span.lowerBound), let next {
                // `- name: x`: the next one takes its place behind the dash.
                edits.append((span.lowerBound..<spans[next].lowerBound, ""))
            } else {
                edits.append((lines(of: span), ""))
            }
        }
        return false
    }

    /// Takes items out of a list. True, and nothing changed, where none would be left.
    mutating func remove(itemsAt positions: Set<Int>, from list: YAMLTree) -> Bool {
        if isAlias(list) { return false }
        guard case .list(let items) = list.content, !positions.isEmpty else { return false }
        guard positions.count < items.count else { return true }
        let spans = items.map { start(of: $0)..<end(of: $0) }
        if isFlow(list) {
            removeRuns(items.indices.map(positions.contains), spans)
        } else {
            for position in positions { edits.append((lines(of: spans[position]), "")) }
        }
        return false
    }

    /// Neighbours that go, with the comma that separates them from one that stays.
    private mutating func removeRuns(_ isGone: [Bool], _ spans: [Range<Int>]) {
        for position in isGone.indices where isGone[position] {
            let before = isGone.indices.last { $0 < position && !isGone[$0] }
            let after = isGone.indices.first { $0 > position && !isGone[$0] }
            if let before {
                let previous = spans[max(before, position - 1)].upperBound
                edits.append((previous..<spans[position].upperBound, ""))
            } else if let after {
                let next = spans[min(after, position + 1)].lowerBound
                edits.append((spans[position].lowerBound..<next, ""))
            }
        }
    }

    // MARK: Where things stand

    /// Whether a value repeats another one by its name, `*NAME`: then it is written out elsewhere.
    private func isAlias(_ value: YAMLTree) -> Bool {
        if case .scalar(_, isQuoted: true) = value.content { return false }
        let start = start(of: value)
        return start < text.count && text[start] == "*"
    }

    private func empty(at offset: Int) -> Range<Int> { offset..<offset }

    private func offset(_ place: Place) -> Int {
        let line = min(max(0, place.line - 1), lineStarts.count - 1)
        return min(text.count, lineStarts[line] + max(0, place.column - 1))
    }

    /// Where a value begins, behind its anchor and tag.
    private func start(of tree: YAMLTree) -> Int {
        var position = offset(tree.place)
        while position < text.count, text[position] == "&" || text[position] == "!" {
            while position < text.count, !Self.isSpace(text[position]) { position += 1 }
            while position < text.count, Self.isSpace(text[position]) { position += 1 }
        }
        return position
    }

    private func isFlow(_ tree: YAMLTree) -> Bool {
        if case .scalar = tree.content { return false }
        if isAlias(tree) { return false }
        let position = start(of: tree)
        return position < text.count && "[{".unicodeScalars.contains(text[position])
    }

    private func end(of tree: YAMLTree) -> Int {
        let start = start(of: tree)
        guard start < text.count else { return text.count }
        if isAlias(tree) { return endOfWord(from: start) }
        if isFlow(tree) { return endOfFlow(from: start) }
        switch tree.content {
        case .list(let items): return items.last.map(end) ?? start
        case .map(let entries): return entries.last.map { end(of: $0.value) } ?? start
        case .scalar(let value, let isQuoted):
            if isQuoted { return endOfQuoted(from: start) }
            return endOfPlain(value, from: start)
        }
    }

    private func endOfWord(from start: Int) -> Int {
        let ends = ",]}".unicodeScalars
        return text[start...].firstIndex { Self.isSpace($0) || ends.contains($0) } ?? text.count
    }

    /// Behind the bracket that closes the one at `start`.
    private func endOfFlow(from start: Int) -> Int {
        var depth = 0
        var position = start
        while position < text.count {
            switch text[position] {
            case "[", "{": depth += 1
            case "]", "}":
                depth -= 1
                if depth == 0 { return position + 1 }
            case "\"", "'":
                // Quotes mean something at the start of a value only: `it's` is plain.
                if let before = text[..<position].last, Self.opensValue(before) {
                    position = endOfQuoted(from: position) - 1
                }
            case "#" where position > 0 && Self.isSpace(text[position - 1]):
                while position + 1 < text.count, text[position + 1] != "\n" { position += 1 }
            default: break
            }
            position += 1
        }
        return text.count
    }

    private func endOfQuoted(from start: Int) -> Int {
        let quote = text[start]
        guard quote == "\"" || quote == "'" else { return endOfBlock(from: start) }
        var position = start + 1
        while position < text.count {
            if quote == "\"", text[position] == "\\" {
                position += 2
                continue
            }
            if text[position] == quote {
                let isDoubled =
                    quote == "'" && position + 1 < text.count && text[position + 1] == quote
                if !isDoubled { return position + 1 }
                position += 1
            }
            position += 1
        }
        return text.count
    }

    /// Of `|` and `>`: all lines below that are indented more than the one it stands in.
    private func endOfBlock(from start: Int) -> Int {
        let line = lineNumber(of: start)
        let indent = indent(ofLine: line)
        var last = line
        for next in (line + 1)..<max(line + 1, lineStarts.count - 1) {
            guard let own = self.indent(ofLine: next) else { continue }
            guard own > (indent ?? 0) else { break }
            last = next
        }
        return max(start + 1, lineStarts[last + 1] - 1)
    }

    /// A plain text may be folded over several lines: a space of it is then a line's end.
    private func endOfPlain(_ value: String, from start: Int) -> Int {
        var position = start
        for scalar in value.unicodeScalars {
            if scalar == " " || scalar == "\n" {
                while position < text.count, Self.isSpace(text[position]) { position += 1 }
            } else {
                position += 1
            }
        }
        return min(position, text.count)
    }

    // MARK: Lines

    private func lineNumber(of offset: Int) -> Int {
        max(0, (lineStarts.firstIndex { $0 > offset } ?? lineStarts.count) - 1)
    }

    private func lineEnd(after offset: Int) -> Int {
        lineStarts.first { $0 > offset } ?? text.count
    }

    /// Nil for an empty one.
    private func indent(ofLine line: Int) -> Int? {
        guard line + 1 < lineStarts.count else { return nil }
        let own = text[lineStarts[line]..<lineStarts[line + 1]]
        guard let first = own.firstIndex(where: { !Self.isSpace($0) }) else { return nil }
        return first - own.startIndex
    }

    /// The whole lines in which a span stands.
    private func lines(of span: Range<Int>) -> Range<Int> {
        let first = lineStarts[lineNumber(of: span.lowerBound)]
        let last = max(span.lowerBound, span.upperBound - 1)
        return first..<max(first, lineEnd(after: last))
    }

    private func beginsLine(_ offset: Int) -> Bool {
        text[lineStarts[lineNumber(of: offset)]..<offset].allSatisfy(Self.isSpace)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t"
    }

    private static func opensValue(_ scalar: Unicode.Scalar) -> Bool {
        isSpace(scalar) || "[{,:".unicodeScalars.contains(scalar)
    }
}
