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
        guard !program.hidesBrowser else { return nil }
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

    private mutating func noteFunctions(of number: Int) {
        let program = programs[number]
        var position = 0
        while position < program.tokens.count {
            if program.holds("function", at: position), program.begins(position),
                let name = program.text(position + 1), name != "*", name != "(",
                let body = program.functionBody(position + 2)
            {
                let known = functions.keys.contains(name)
                functions.updateValue(
                    known ? nil : Body(program: number, range: body), forKey: name)
            }
            position = (program.partner(position) ?? position) + 1
        }
    }

    // MARK: Statements

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
                    position = program.skipHandlers(position)
                }
            case "return", "throw", "break", "continue": return false
            case "if", "while", "for", "with", "switch", "do", "function", "class", "async":
                let end = program.skipStatement(position, until: range.upperBound)
                guard !program.mayLeave(position..<end) else { return false }
                position = end
            case "var", "let", "const", "import", "export":
                position = program.endOfExpression(position, until: range.upperBound)
            default:
                let end = program.endOfExpression(position, until: range.upperBound)
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

    // MARK: Expressions

    /// Takes the effect of a whole expression, if it is one of those that are known.
    private mutating func take(_ range: Range<Int>, in context: Context) {
        let program = programs[context.program]
        var range = range
        if program.holds("!", at: range.lowerBound) || program.holds("void", at: range.lowerBound) {
            range = (range.lowerBound + 1)..<range.upperBound
        }
        if let body = program.calledAtOnce(range) {
            _ = runBlock(body, in: context)
            return
        }
        var (path, position) = program.chain(range)
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
            guard let arguments = program.arguments(rest), arguments.count >= 2,
                arguments[0].count == 1, let event = program.value(arguments[0].lowerBound),
                ["load", "DOMContentLoaded", "pageshow"].contains(event)
            else { return }
            runFunction(arguments[1], in: context, delayMs: 0)
        case (["setTimeout"], false):
            guard let arguments = program.arguments(rest), (1...2).contains(arguments.count),
                let delay = program.delay(arguments.dropFirst().first)
            else { return }
            runFunction(arguments[0], in: context, delayMs: delay)
        case (_, false) where path.count == 1:
            guard rest.count == 2, program.holds("(", at: position) else { return }
            call(path[0], in: context)
        case (_, true):
            guard let target = program.form(path, rest) else { return }
            note(target, in: context)
        default: return
        }
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

    /// Runs what is handed over for later: a function, its name, or code in a string.
    private mutating func runFunction(_ range: Range<Int>, in context: Context, delayMs: Int) {
        let program = programs[context.program]
        var inner = context
        inner.script = nil
        inner.delayMs += delayMs
        if let body = program.literal(range) {
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

}
