/// What PageScripts asks of the tokens of a script: where its statements and expressions end, and what they are.
extension ScriptTokens {
    // MARK: Statements

    /// A statement begins here, as far as the token before tells.
    func begins(_ position: Int) -> Bool {
        position == 0 || holds(";", at: position - 1) || holds("}", at: position - 1)
            || endsLine(before: position)
    }

    /// A line ends before this token, and the statement with it.
    private func endsLine(before position: Int) -> Bool {
        guard position > 0, tokens[position].beginsLine else { return false }
        switch tokens[position].kind {
        case .mark: guard holds("{", at: position) else { return false }
        case .name:
            if holds("in", at: position) || holds("instanceof", at: position) { return false }
        case .string, .number, .pattern: break
        }
        switch tokens[position - 1].kind {
        case .string, .number, .pattern: return true
        case .name:
            return !Self.operators.contains { holds($0, at: position - 1) }
        case .mark:
            return [")", "]", "}"].contains { holds($0, at: position - 1) }
        }
    }

    /// Where an expression ends: at a semicolon, or with its line where the next one begins another
    /// statement (ECMA-262, 12.10).
    func endOfExpression(_ start: Int, until end: Int) -> Int {
        var position = start
        while position < end, !holds(";", at: position) {
            if position > start, endsLine(before: position) { return position }
            skipBracket(&position)
        }
        return min(position, end)
    }

    /// Behind a statement whatever it is, with the statements that hang on it.
    func skipStatement(_ start: Int, until end: Int) -> Int {
        var position = start
        while position < end {
            switch text(position) {
            case "if", "while", "for", "with", "switch":
                position += 1
                if holds("await", at: position) { position += 1 }
                if holds("(", at: position) { skipBracket(&position) }
                continue
            case "do", "else", "try":
                position += 1
                continue
            case "{": skipBracket(&position)
            case "function", "class", "async":
                while position < end, !holds("{", at: position) {
                    skipBracket(&position)
                }
                skipBracket(&position)
            case ";": position += 1
            default:
                position = max(endOfExpression(position, until: end), position + 1)
                if holds(";", at: position) { position += 1 }
            }
            position = skipHandlers(position)
            guard holds("else", at: position) else { return min(position, end) }
        }
        return end
    }

    /// Behind `catch (e) {...}` and `finally {...}`.
    func skipHandlers(_ start: Int) -> Int {
        var position = start
        while holds("catch", at: position) || holds("finally", at: position) {
            position += 1
            if holds("(", at: position) { skipBracket(&position) }
            if holds("{", at: position) { skipBracket(&position) }
        }
        return position
    }

    /// Behind a token, and behind what it opens.
    private func skipBracket(_ position: inout Int) {
        position = (partner(position) ?? position) + 1
    }

    /// What is skipped may return or throw; a function that is only declared does not.
    func mayLeave(_ range: Range<Int>) -> Bool {
        guard !holds("function", at: range.lowerBound), !holds("class", at: range.lowerBound),
            !holds("async", at: range.lowerBound)
        else { return false }
        return range.contains { position in
            holds("return", at: position) || holds("throw", at: position)
                || holds("break", at: position) || holds("continue", at: position)
        }
    }

    /// Of `(a, b) { ... }` what stands in the braces; nil where a parameter hides the browser's own.
    func functionBody(_ position: Int) -> Range<Int>? {
        guard holds("(", at: position), let end = partner(position),
            holds("{", at: end + 1), let last = partner(end + 1),
            !((position + 1)..<end).contains(where: { isOwn($0) })
        else { return nil }
        return (end + 2)..<last
    }

    /// A variable hides the browser's own.
    var hidesBrowser: Bool {
        tokens.indices.dropLast().contains { position in
            let declares =
                holds("var", at: position) || holds("let", at: position)
                || holds("const", at: position) || holds("function", at: position)
                || holds("class", at: position)
                || holds(",", at: position) && holds("=", at: position + 2)
            return declares && isOwn(position + 1)
        }
    }

    private func isOwn(_ position: Int) -> Bool {
        let own: [StaticString] = [
            "location", "document", "window", "self", "top", "parent", "globalThis", "setTimeout",
            "addEventListener",
        ]
        return own.contains { holds($0, at: position) }
    }

    // MARK: Expressions

    /// `a.b.c`, and where it ends.
    func chain(_ range: Range<Int>) -> ([String], Int) {
        var path: [String] = []
        var position = range.lowerBound
        while position < range.upperBound, tokens[position].kind == .name,
            let name = text(position)
        {
            path.append(name)
            position += 1
            guard position + 1 < range.upperBound, holds(".", at: position) else { break }
            position += 1
        }
        return (path, position)
    }

    /// The arguments of a call that is the whole of this range; nil for anything else.
    func arguments(_ range: Range<Int>) -> [Range<Int>]? {
        let start = range.lowerBound
        guard holds("(", at: start), let end = partner(start), end + 1 == range.upperBound
        else { return nil }
        var found: [Range<Int>] = []
        var begin = start + 1
        var position = begin
        while position < end {
            if holds(",", at: position) {
                found.append(begin..<position)
                begin = position + 1
            }
            skipBracket(&position)
        }
        if begin < end { found.append(begin..<end) }
        return found.contains(where: \.isEmpty) ? nil : found
    }

    /// The body of `(function () {...})()`, `(function () {...}())`, `function () {...}()` and
    /// `(() => {...})()`.
    func calledAtOnce(_ range: Range<Int>) -> Range<Int>? {
        func isCall(_ position: Int, _ end: Int) -> Bool {
            holds("(", at: position) && partner(position) == position + 1 && position + 2 == end
        }
        let start = range.lowerBound
        if holds("(", at: start), let end = partner(start) {
            if isCall(end + 1, range.upperBound) {
                return literal((start + 1)..<end)
            }
            guard end + 1 == range.upperBound, isCall(end - 2, end) else { return nil }
            return literal((start + 1)..<(end - 2))
        }
        guard holds("function", at: start), range.count > 2,
            isCall(range.upperBound - 2, range.upperBound)
        else { return nil }
        return literal(start..<(range.upperBound - 2))
    }

    /// The body of a function that is written out: `function (e) {...}`, `() => {...}`, `() => x`.
    func literal(_ range: Range<Int>) -> Range<Int>? {
        var position = range.lowerBound
        if holds("function", at: position) {
            position += 1
            if position < range.upperBound, tokens[position].kind == .name { position += 1 }
            guard let body = functionBody(position),
                body.upperBound + 1 == range.upperBound
            else { return nil }
            return body
        }
        var parameters = position..<position
        if holds("(", at: position), let end = partner(position) {
            parameters = (position + 1)..<end
            position = end + 1
        } else if position < range.upperBound, tokens[position].kind == .name {
            parameters = position..<(position + 1)
            position += 1
        }
        guard holds("=", at: position), holds(">", at: position + 1),
            position + 2 < range.upperBound,
            !parameters.contains(where: { isOwn($0) })
        else { return nil }
        position += 2
        guard holds("{", at: position) else { return position..<range.upperBound }
        guard partner(position) == range.upperBound - 1 else { return nil }
        return (position + 1)..<(range.upperBound - 1)
    }

    /// Whole milliseconds that are written out; none are none at all.
    func delay(_ range: Range<Int>?) -> Int? {
        guard let range else { return 0 }
        guard range.count == 1, tokens[range.lowerBound].kind == .number,
            let digits = value(range.lowerBound), digits.utf8.count <= 9
        else { return nil }
        return Int(digits)
    }

    /// The form in front of `.submit()`, behind `document.`.
    func form(_ path: [String], _ rest: Range<Int>) -> ScriptEffect.Target? {
        let start = rest.lowerBound
        if path.last == "submit", isCall(rest) {
            switch path.count {
            case 2: return .name(path[0])
            case 3 where path[0] == "forms": return .name(path[1])
            default: return nil
            }
        }
        guard path.count == 1, let end = partner(start) else { return nil }
        if path[0] == "forms", holds("[", at: start), end == start + 2 {
            return submits((end + 1)..<rest.upperBound) ? index(start + 1) : nil
        }
        guard holds("(", at: start), end == start + 2,
            tokens[start + 1].kind == .string, let said = value(start + 1)
        else { return nil }
        let tail = (end + 1)..<rest.upperBound
        switch path[0] {
        case "getElementById": return submits(tail) ? .id(said) : nil
        case "querySelector" where submits(tail):
            if said == "form" { return .form(0) }
            let id = said.dropFirst()
            let isID =
                said.hasPrefix("#")
                && id.utf8.allSatisfy {
                    (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2d
                        || $0 == 0x5f
                }
            return isID ? .id(String(id)) : nil
        case "getElementsByTagName" where said.lowercased() == "form":
            guard holds("[", at: tail.lowerBound),
                let close = partner(tail.lowerBound), close == tail.lowerBound + 2,
                tokens[tail.lowerBound + 1].kind == .number,
                submits((close + 1)..<tail.upperBound)
            else { return nil }
            return index(tail.lowerBound + 1)
        default: return nil
        }
    }

    /// `.submit()`.
    private func submits(_ range: Range<Int>) -> Bool {
        range.count == 4 && holds(".", at: range.lowerBound)
            && holds("submit", at: range.lowerBound + 1)
            && isCall((range.lowerBound + 2)..<range.upperBound)
    }

    /// `()`.
    private func isCall(_ range: Range<Int>) -> Bool {
        range.count == 2 && holds("(", at: range.lowerBound)
    }

    /// `0` or `'name'`.
    private func index(_ position: Int) -> ScriptEffect.Target? {
        guard let said = value(position) else { return nil }
        if tokens[position].kind == .string { return .name(said) }
        return said.utf8.count <= 4 ? Int(said).map { .form($0) } : nil
    }
}
