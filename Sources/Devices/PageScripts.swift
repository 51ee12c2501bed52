/// What the inline scripts of a page do by themselves, told without running them: they lead to an address
/// that is written out, or send a form that is named. Only statements that run whenever the page is loaded
/// count: those of a script itself, of a block, of a function that is called at once or when the page has
/// loaded. What depends on a condition, on a click or on a value does not. A redirect that a browser
/// would not follow is worse than none, so that everything in doubt is `unclear`.
enum ScriptedLead {
    /// No script leads anywhere.
    case none
    /// To an address, as written.
    case go(String, after: Duration)
    /// A form is sent as it stands, without a button.
    case submit(HTMLForm, after: Duration)
    /// Scripts speak of addresses or of sending forms, and only running them tells which.
    case unclear
}

/// One effect of a script, before anything of the page is looked up.
struct ScriptEffect: Hashable {
    enum Target: Hashable {
        case address(String)
        /// `document.forms[N]`.
        case form(Int)
        /// `document.getElementById(ID)`.
        case id(String)
        /// `document.forms.NAME`, `document.NAME`: a form's name or id.
        case name(String)
    }
    var target: Target
    var delayMs = 0
    /// It runs while the page is being read: forms behind the script are not there yet. Nil: later.
    var script: Int?
}

/// Reads the scripts of one page.
struct PageScripts {
    private(set) var effects: [ScriptEffect] = []
    /// A script names a location or a submit.
    private(set) var speaksOfLeading = false
    /// It was more than is read.
    private(set) var isBeyond = false

    private var programs: [ScriptTokens] = []
    /// A name's body; nil where it has two.
    private var functions: [String: Body?] = [:]
    private var statements = 0

    private struct Body {
        var program: Int
        var range: Range<Int>
    }

    /// Where a statement is looked at.
    private struct Context {
        var program: Int
        var depth = 0
        var delayMs = 0
        /// Of the script that runs while the page is read, its place there.
        var script: Int?
    }

    private static let mostStatements = 20_000
    private static let deepest = 12
    /// As with refreshes: what leads away later is not how the page goes on.
    private static let longestDelayMs = 30_000

    /// `scripts` with their places in the page, and what `<body onload=...>` says.
    init(_ scripts: [(place: Int, text: ArraySlice<UInt8>)], onload: String?) {
        var runs: [Context] = []
        for (place, text) in scripts {
            guard let program = take(text) else { continue }
            runs.append(Context(program: program, script: place))
        }
        if let onload, let program = take(Array(onload.utf8)[...]) {
            runs.append(Context(program: program))
        }
        for context in runs {
            _ = run(0..<programs[context.program].tokens.count, in: context)
        }
    }

    /// What comes first; of two at once neither, unless they are the same.
    var first: ScriptEffect? {
        guard !isBeyond, let soonest = effects.map(\.delayMs).min() else { return nil }
        let candidates = effects.filter { $0.delayMs == soonest }
        let targets = Set(candidates.map(\.target))
        return targets.count == 1 ? candidates[0] : nil
    }

    /// Reads a script and notes its functions; nil where it says nothing, or cannot be read.
    private mutating func take(_ text: ArraySlice<UInt8>) -> Int? {
        guard Self.mayLead(text) else { return nil }
        guard let program = ScriptTokens(text) else {
            speaksOfLeading = speaksOfLeading || Self.names(text, ["location", "submit"])
            return nil
        }
        let leads = program.tokens.indices.contains { position in
            program.holds("location", at: position) || program.holds("submit", at: position)
        }
        // A call of a function in another script, or code in a string, leads too.
        speaksOfLeading = speaksOfLeading || leads
        guard !Self.shadows(program) else { return nil }
        programs.append(program)
        noteFunctions(of: programs.count - 1)
        return programs.count - 1
    }

    /// Most scripts of most pages have none of these words.
    private static func mayLead(_ text: ArraySlice<UInt8>) -> Bool {
        names(text, ["location", "submit", "()"])
    }

    private static func names(_ text: ArraySlice<UInt8>, _ words: [String]) -> Bool {
        HTMLForm.contains(text.span, words)
    }

    /// A variable hides the browser's own.
    private static func shadows(_ program: ScriptTokens) -> Bool {
        program.tokens.indices.dropLast().contains { position in
            let declares =
                program.holds("var", at: position) || program.holds("let", at: position)
                || program.holds("const", at: position) || program.holds("function", at: position)
                || program.holds("class", at: position)
                || program.holds(",", at: position) && program.holds("=", at: position + 2)
            return declares && isOwn(position + 1, of: program)
        }
    }

    private static func isOwn(_ position: Int, of program: ScriptTokens) -> Bool {
        let own: [StaticString] = [
            "location", "document", "window", "self", "top", "parent", "globalThis", "setTimeout",
            "addEventListener",
        ]
        return own.contains { program.holds($0, at: position) }
    }

    private mutating func noteFunctions(of number: Int) {
        let program = programs[number]
        var position = 0
        while position < program.tokens.count {
            if program.holds("function", at: position), begins(position, of: program),
                let name = program.text(position + 1), name != "*", name != "(",
                let body = functionBody(position + 2, of: program)
            {
                let known = functions.keys.contains(name)
                functions.updateValue(
                    known ? nil : Body(program: number, range: body), forKey: name)
            }
            position = (program.partner(position) ?? position) + 1
        }
    }

    /// A statement begins here, as far as the token before tells.
    private func begins(_ position: Int, of program: ScriptTokens) -> Bool {
        position == 0 || program.holds(";", at: position - 1)
            || program.holds("}", at: position - 1)
            || endsLine(before: position, of: program)
    }

    /// Of `(a, b) { ... }` what stands in the braces; nil where a parameter hides the browser's own.
    private func functionBody(_ position: Int, of program: ScriptTokens) -> Range<Int>? {
        guard program.holds("(", at: position), let end = program.partner(position),
            program.holds("{", at: end + 1), let last = program.partner(end + 1),
            !((position + 1)..<end).contains(where: { Self.isOwn($0, of: program) })
        else { return nil }
        return (end + 2)..<last
    }
}

// MARK: Statements

extension PageScripts {
    /// Takes the effects of statements in order; false where what follows may not be reached.
    private mutating func run(_ range: Range<Int>, in context: Context) -> Bool {
        guard context.depth < Self.deepest else {
            isBeyond = true
            return false
        }
        let program = programs[context.program]
        var position = range.lowerBound
        while position < range.upperBound {
            statements += 1
            guard statements < Self.mostStatements else {
                isBeyond = true
                return false
            }
            switch program.text(position) {
            case ";": position += 1
            case "{":
                guard let end = program.partner(position) else { return false }
                guard runBlock((position + 1)..<end, in: context) else { return false }
                position = end + 1
            case "try":
                guard program.holds("{", at: position + 1),
                    let end = program.partner(position + 1)
                else { return false }
                guard runBlock((position + 2)..<end, in: context) else { return false }
                position = end + 1
                if program.holds("catch", at: position) || program.holds("finally", at: position) {
                    position = skipHandlers(position, of: program)
                }
            case "return", "throw", "break", "continue": return false
            case "if", "while", "for", "with", "switch", "do", "function", "class", "async":
                let end = skipStatement(position, until: range.upperBound, of: program)
                guard !mayLeave(position..<end, of: program) else { return false }
                position = end
            case "var", "let", "const", "import", "export":
                position = endOfExpression(position, until: range.upperBound, of: program)
            default:
                let end = endOfExpression(position, until: range.upperBound, of: program)
                take(position..<end, in: context)
                position = max(end, position + 1)
            }
        }
        return true
    }

    private mutating func runBlock(_ range: Range<Int>, in context: Context) -> Bool {
        var inner = context
        inner.depth += 1
        return run(range, in: inner)
    }

    /// What is skipped may return or throw; a function that is only declared does not.
    private func mayLeave(_ range: Range<Int>, of program: ScriptTokens) -> Bool {
        guard !program.holds("function", at: range.lowerBound),
            !program.holds("class", at: range.lowerBound),
            !program.holds("async", at: range.lowerBound)
        else { return false }
        return range.contains { position in
            program.holds("return", at: position) || program.holds("throw", at: position)
                || program.holds("break", at: position) || program.holds("continue", at: position)
        }
    }

    /// Behind `catch (e) {...}` and `finally {...}`.
    private func skipHandlers(_ start: Int, of program: ScriptTokens) -> Int {
        var position = start
        while program.holds("catch", at: position) || program.holds("finally", at: position) {
            position += 1
            if program.holds("(", at: position) {
                position = (program.partner(position) ?? position) + 1
            }
            if program.holds("{", at: position) {
                position = (program.partner(position) ?? position) + 1
            }
        }
        return position
    }

    /// Behind a statement whatever it is, with the statements that hang on it.
    private func skipStatement(
        _ start: Int, until end: Int, of program: ScriptTokens
    ) -> Int {
        var position = start
        while position < end {
            switch program.text(position) {
            case "if", "while", "for", "with", "switch":
                position += 1
                if program.holds("await", at: position) { position += 1 }
                if program.holds("(", at: position) {
                    position = (program.partner(position) ?? position) + 1
                }
                continue
            case "do", "else", "try":
                position += 1
                continue
            case "{": position = (program.partner(position) ?? position) + 1
            case "function", "class", "async":
                while position < end, !program.holds("{", at: position) {
                    position = (program.partner(position) ?? position) + 1
                }
                position = (program.partner(position) ?? position) + 1
            case ";": position += 1
            default:
                position = max(
                    endOfExpression(position, until: end, of: program), position + 1)
                if program.holds(";", at: position) { position += 1 }
            }
            position = skipHandlers(position, of: program)
            guard program.holds("else", at: position) else { return min(position, end) }
        }
        return end
    }

    /// Where an expression ends: at a semicolon, or with its line where the next one begins another
    /// statement (ECMA-262, 12.10).
    private func endOfExpression(
        _ start: Int, until end: Int, of program: ScriptTokens
    ) -> Int {
        var position = start
        while position < end, !program.holds(";", at: position) {
            if position > start, endsLine(before: position, of: program) { return position }
            position = (program.partner(position) ?? position) + 1
        }
        return min(position, end)
    }

    /// A line ends before this token, and the statement with it.
    private func endsLine(before position: Int, of program: ScriptTokens) -> Bool {
        guard position > 0, program.tokens[position].beginsLine else { return false }
        switch program.tokens[position].kind {
        case .mark: guard program.holds("{", at: position) else { return false }
        case .name:
            if program.holds("in", at: position) || program.holds("instanceof", at: position) {
                return false
            }
        case .string, .number, .pattern: break
        }
        switch program.tokens[position - 1].kind {
        case .string, .number, .pattern: return true
        case .name:
            return !ScriptTokens.operators.contains { program.holds($0, at: position - 1) }
        case .mark:
            return [")", "]", "}"].contains { program.holds($0, at: position - 1) }
        }
    }
}

// MARK: Expressions

extension PageScripts {
    /// Takes the effect of a whole expression, if it is one of those that are known.
    private mutating func take(_ range: Range<Int>, in context: Context) {
        let program = programs[context.program]
        var range = range
        if program.holds("!", at: range.lowerBound) || program.holds("void", at: range.lowerBound) {
            range = (range.lowerBound + 1)..<range.upperBound
        }
        if let body = calledAtOnce(range, of: program) {
            _ = runBlock(body, in: context)
            return
        }
        var (path, position) = chain(range, of: program)
        var isOfDocument = false
        while path.count > 1, ["window", "self", "top", "parent", "globalThis"].contains(path[0]) {
            path.removeFirst()
        }
        if path.count > 1, path[0] == "document" {
            path.removeFirst()
            isOfDocument = true
        }
        let rest = position..<range.upperBound
        switch (path, isOfDocument) {
        case (["location"], _), (["location", "href"], _):
            guard rest.count == 2, program.holds("=", at: position) else { return }
            go(position + 1, in: context)
        case (["location", "assign"], _), (["location", "replace"], _):
            guard rest.count == 3, program.holds("(", at: position) else { return }
            go(position + 1, in: context)
        case (["onload"], false), (["body", "onload"], true):
            guard program.holds("=", at: position) else { return }
            runFunction((position + 1)..<range.upperBound, in: context, delayMs: 0)
        case (["addEventListener"], _):
            guard let arguments = arguments(rest, of: program), arguments.count >= 2,
                arguments[0].count == 1, let event = program.value(arguments[0].lowerBound),
                ["load", "DOMContentLoaded", "pageshow"].contains(event)
            else { return }
            runFunction(arguments[1], in: context, delayMs: 0)
        case (["setTimeout"], false):
            guard let arguments = arguments(rest, of: program), (1...2).contains(arguments.count),
                let delay = delay(arguments.dropFirst().first, of: program)
            else { return }
            runFunction(arguments[0], in: context, delayMs: delay)
        case (_, false) where path.count == 1:
            guard rest.count == 2, program.holds("(", at: position) else { return }
            call(path[0], in: context)
        case (_, true):
            guard let target = form(path, rest, of: program) else { return }
            note(target, in: context)
        default: return
        }
    }

    /// `a.b.c`, and where it ends.
    private func chain(_ range: Range<Int>, of program: ScriptTokens) -> ([String], Int) {
        var path: [String] = []
        var position = range.lowerBound
        while position < range.upperBound, program.tokens[position].kind == .name,
            let name = program.text(position)
        {
            path.append(name)
            position += 1
            guard position + 1 < range.upperBound, program.holds(".", at: position) else { break }
            position += 1
        }
        return (path, position)
    }

    private mutating func go(_ position: Int, in context: Context) {
        let program = programs[context.program]
        guard program.tokens[position].kind == .string, let address = program.value(position),
            // Within the page.
            !address.hasPrefix("#")
        else { return }
        note(.address(address), in: context)
    }

    private mutating func note(_ target: ScriptEffect.Target, in context: Context) {
        guard context.delayMs <= Self.longestDelayMs else { return }
        effects.append(
            ScriptEffect(target: target, delayMs: context.delayMs, script: context.script))
    }

    /// The body of `(function () {...})()`, `(function () {...}())`, `function () {...}()` and
    /// `(() => {...})()`.
    private func calledAtOnce(_ range: Range<Int>, of program: ScriptTokens) -> Range<Int>? {
        func isCall(_ position: Int, _ end: Int) -> Bool {
            program.holds("(", at: position) && program.partner(position) == position + 1
                && position + 2 == end
        }
        let start = range.lowerBound
        if program.holds("(", at: start), let end = program.partner(start) {
            if isCall(end + 1, range.upperBound) {
                return literal((start + 1)..<end, of: program)
            }
            guard end + 1 == range.upperBound, isCall(end - 2, end) else { return nil }
            return literal((start + 1)..<(end - 2), of: program)
        }
        guard program.holds("function", at: start), range.count > 2,
            isCall(range.upperBound - 2, range.upperBound)
        else { return nil }
        return literal(start..<(range.upperBound - 2), of: program)
    }

    /// The body of a function that is written out: `function (e) {...}`, `() => {...}`, `() => x`.
    private func literal(_ range: Range<Int>, of program: ScriptTokens) -> Range<Int>? {
        var position = range.lowerBound
        if program.holds("function", at: position) {
            position += 1
            if position < range.upperBound, program.tokens[position].kind == .name { position += 1 }
            guard let body = functionBody(position, of: program),
                body.upperBound + 1 == range.upperBound
            else { return nil }
            return body
        }
        var parameters = position..<position
        if program.holds("(", at: position), let end = program.partner(position) {
            parameters = (position + 1)..<end
            position = end + 1
        } else if position < range.upperBound, program.tokens[position].kind == .name {
            parameters = position..<(position + 1)
            position += 1
        }
        guard program.holds("=", at: position), program.holds(">", at: position + 1),
            position + 2 < range.upperBound,
            !parameters.contains(where: { Self.isOwn($0, of: program) })
        else { return nil }
        position += 2
        guard program.holds("{", at: position) else { return position..<range.upperBound }
        guard program.partner(position) == range.upperBound - 1 else { return nil }
        return (position + 1)..<(range.upperBound - 1)
    }

    /// Runs what is handed over for later: a function, its name, or code in a string.
    private mutating func runFunction(_ range: Range<Int>, in context: Context, delayMs: Int) {
        let program = programs[context.program]
        var inner = context
        inner.script = nil
        inner.delayMs += delayMs
        if let body = literal(range, of: program) {
            _ = runBlock(body, in: inner)
        } else if range.count == 1, let name = program.text(range.lowerBound) {
            call(name, in: inner)
        } else if range.count == 1, program.tokens[range.lowerBound].kind == .string,
            let code = program.value(range.lowerBound), context.depth < Self.deepest,
            let number = take(Array(code.utf8)[...])
        {
            inner.program = number
            inner.depth += 1
            _ = run(0..<programs[number].tokens.count, in: inner)
        }
    }

    private mutating func call(_ name: String, in context: Context) {
        guard let body = functions[name] ?? nil else { return }
        var inner = context
        inner.program = body.program
        inner.depth += 1
        _ = run(body.range, in: inner)
    }

    /// The arguments of a call that is the whole of this range; nil for anything else.
    private func arguments(_ range: Range<Int>, of program: ScriptTokens) -> [Range<Int>]? {
        let start = range.lowerBound
        guard program.holds("(", at: start), let end = program.partner(start),
            end + 1 == range.upperBound
        else { return nil }
        var found: [Range<Int>] = []
        var begin = start + 1
        var position = begin
        while position < end {
            if program.holds(",", at: position) {
                found.append(begin..<position)
                begin = position + 1
            }
            position = (program.partner(position) ?? position) + 1
        }
        if begin < end { found.append(begin..<end) }
        return found.contains(where: \.isEmpty) ? nil : found
    }

    /// Whole milliseconds that are written out; none are none at all.
    private func delay(_ range: Range<Int>?, of program: ScriptTokens) -> Int? {
        guard let range else { return 0 }
        guard range.count == 1, program.tokens[range.lowerBound].kind == .number,
            let digits = program.value(range.lowerBound), digits.utf8.count <= 9
        else { return nil }
        return Int(digits)
    }

    /// The form in front of `.submit()`, behind `document.`.
    private func form(
        _ path: [String], _ rest: Range<Int>, of program: ScriptTokens
    ) -> ScriptEffect.Target? {
        let start = rest.lowerBound
        if path.last == "submit", isCall(rest, of: program) {
            switch path.count {
            case 2: return .name(path[0])
            case 3 where path[0] == "forms": return .name(path[1])
            default: return nil
            }
        }
        guard path.count == 1, let end = program.partner(start) else { return nil }
        if path[0] == "forms", program.holds("[", at: start), end == start + 2 {
            return submits((end + 1)..<rest.upperBound, of: program)
                ? index(start + 1, of: program) : nil
        }
        guard program.holds("(", at: start), end == start + 2,
            program.tokens[start + 1].kind == .string, let said = program.value(start + 1)
        else { return nil }
        let tail = (end + 1)..<rest.upperBound
        switch path[0] {
        case "getElementById": return submits(tail, of: program) ? .id(said) : nil
        case "querySelector" where submits(tail, of: program):
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
            guard program.holds("[", at: tail.lowerBound),
                let close = program.partner(tail.lowerBound), close == tail.lowerBound + 2,
                program.tokens[tail.lowerBound + 1].kind == .number,
                submits((close + 1)..<tail.upperBound, of: program)
            else { return nil }
            return index(tail.lowerBound + 1, of: program)
        default: return nil
        }
    }

    /// `()`.
    private func isCall(_ range: Range<Int>, of program: ScriptTokens) -> Bool {
        range.count == 2 && program.holds("(", at: range.lowerBound)
    }

    /// `.submit()`.
    private func submits(_ range: Range<Int>, of program: ScriptTokens) -> Bool {
        range.count == 4 && program.holds(".", at: range.lowerBound)
            && program.holds("submit", at: range.lowerBound + 1)
            && isCall((range.lowerBound + 2)..<range.upperBound, of: program)
    }

    /// `0` or `'name'`.
    private func index(_ position: Int, of program: ScriptTokens) -> ScriptEffect.Target? {
        guard let said = program.value(position) else { return nil }
        if program.tokens[position].kind == .string { return .name(said) }
        return said.utf8.count <= 4 ? Int(said).map { .form($0) } : nil
    }
}
