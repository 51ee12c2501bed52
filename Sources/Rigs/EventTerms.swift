/// Something that happens to the service during a run: a command of the rig's own, such as a deploy, or a
/// moment that the report shall mark (rigs/reference.yaml, `events`).
public struct EventTerms: Sendable, Hashable {
    public var name: String
    /// Since the load began.
    public var at: Duration
    /// What is run, as the rig has it; nil: nothing, the event is a mark.
    public var run: String?
    /// `run` is a line for `/bin/sh -c`; else its words are the program and its arguments.
    public var usesShell = false
    /// When it ends, since the load began; nil: when its command does, or at once.
    public var until: Duration?
    /// How long the command may take.
    public var timeout: Duration = .seconds(600)

    /// Program and arguments; empty where nothing is run.
    public var arguments: [String] {
        guard let run else { return [] }
        return usesShell ? ["/bin/sh", "-c", run] : CommandWords.split(run) ?? []
    }
}

extension EventTerms: RigSection {
    static let blank = EventTerms(name: "", at: .zero)
    static let keys: [Key<EventTerms>] = [
        Key(
            "name", .scalar(.eventName), into: \.name, required: true, example: "rollout",
            "Its name in charts, reports and thresholds (rollout recovery < 30s)."),
        Key(
            "at", .scalar(.duration), into: \.at, required: true, example: "5m",
            "When it begins, since the load began."),
        Key(
            "run", .scalar(.text), ifGiven: \.run, example: "kubectl rollout restart deploy/auth",
            "Program and arguments to run then, in the working directory of screenrig; quotes hold "
                + "words together. Not run in virtual time, in trials and replays."),
        Key(
            "shell", .scalar(.flag), into: \.usesShell,
            "Run it as a line of /bin/sh, with variables, pipes and &&."),
        Key(
            "until", .scalar(.duration), ifGiven: \.until, example: "6m",
            "When it ends, since the load began. Default: when its command ends, or at once."),
        Key(
            "timeout", .scalar(.duration), into: \.timeout,
            "A command that takes longer is killed."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        if let until, until <= at {
            reader.refuse(
                marks["until"].place,
                "until is not after 'at'; both count from the begin of the load")
        }
        if run == nil, let key = ["shell", "timeout"].first(where: { marks.gives($0) }) {
            reader.refuse(
                marks[key].place, "\(key) is about a command; add 'run: COMMAND', or remove it")
        }
        guard let run else { return }
        if !usesShell {
            switch CommandWords.split(run) {
            case nil: reader.refuse(marks["run"].place, "run has a quote that is not closed")
            case .some([]): reader.refuse(marks["run"].place, "run names no program")
            default:
                if let sign = CommandWords.shellSign(in: run) {
                    reader.refuse(
                        marks["run"].place,
                        "run is no line of a shell, and '\(sign)' would be an argument; add "
                            + "'shell: true', or put it in quotes")
                }
            }
        }
    }
}

extension Scalar<String> {
    /// A word or a few: letters, digits, blanks, dots and dashes, as a name in a threshold.
    static var eventName: Scalar<String> {
        Scalar(
            wanted: "letters, digits, '-', '_' and '.', such as rollout-2",
            pattern: "[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
        ) { text throws(Refusal) in
            guard EventTerms.isName(text) else { throw Refusal(remark: nil) }
            return text
        }
    }
}

extension EventTerms {
    /// What a name of an event looks like, whoever gives it: at most 40 of letters, digits, `.`, `_` and `-`,
    /// the first a letter or digit.
    public static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, text.unicodeScalars.count <= 40 else {
            return false
        }
        func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        }
        return isPlain(first)
            && text.unicodeScalars.allSatisfy { isPlain($0) || "._-".unicodeScalars.contains($0) }
    }
}

/// A command as a rig has it, taken apart into words as a shell would, and no more than that.
package enum CommandWords {
    /// The words of a line; nil where a quote is not closed. Quotes hold words together, a backslash takes the
    /// next character as it is (not within single quotes).
    package static func split(_ line: String) -> [String]? { read(line)?.map(\.text) }

    /// A word of the line that only a shell would understand; nil where there is none. What is in quotes is meant as it is.
    package static func shellSign(in line: String) -> String? {
        read(line)?.first { word in
            !word.isQuoted
                && (["|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1"].contains(word.text)
                    || word.text.hasPrefix("$(") || word.text.hasPrefix("`"))
        }?.text
    }

    private struct Word {
        var text = ""
        /// Some of it was in quotes, or followed a backslash.
        var isQuoted = false
    }

    private static func read(_ line: String) -> [Word]? {
        var words: [Word] = []
        var word: Word?
        var quote: Character?
        var isEscaped = false
        func take(_ character: Character? = nil, isQuoted: Bool = false) {
            var taken = word ?? Word()
            if let character { taken.text.append(character) }
            taken.isQuoted = taken.isQuoted || isQuoted
            word = taken
        }
        for character in line {
            if isEscaped {
                take(character, isQuoted: true)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { take(character, isQuoted: true) }
            } else if character == "'" || character == "\"" {
                quote = character
                take(isQuoted: true)
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                take(character)
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        if let word { words.append(word) }
        return words
    }
}
