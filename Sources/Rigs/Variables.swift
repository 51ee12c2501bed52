/// Puts in what `${NAME}` and `${file:PATH}` stand for.
struct Variables {
    /// The file that is read, and what it is read with.
    let file: String
    let surroundings: RigSurroundings
    /// `NAME` and `file:PATH` of each `${...}` of the file itself, not of options or other files.
    private(set) var references: [String] = []

    /// Bytes of a value, once everything is in it.
    private static let bytesAtMost = 65_536

    init(in file: String, _ surroundings: RigSurroundings) {
        self.file = file
        self.surroundings = surroundings
    }

    /// The text with each `${NAME}` and `${file:PATH}` replaced, and what they stand for. Nil, and a
    /// problem noted, when one has no value.
    mutating func expanded(
        _ raw: String, _ place: Place, _ problems: inout [RigProblem]
    ) -> (text: String, values: [String])? {
        guard raw.contains("${") else { return (raw, []) }
        if place.option == nil, place.file == file { note(referencesIn: raw) }
        if case .omitted = surroundings.secrets { return nil }
        var text = ""
        var values: [String] = []
        var rest = raw[...]
        while let start = rest.firstRange(of: "${") {
            text += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                problems.append(RigProblem(place, .syntax("'${' lacks its '}'; write ${NAME}")))
                return nil
            }
            guard let value = value(of: String(rest[start.upperBound..<end]), place, &problems)
            else { return nil }
            text += value
            values.append(value)
            rest = rest[rest.index(after: end)...]
            guard text.utf8.count <= Self.bytesAtMost else {
                problems.append(
                    RigProblem(
                        place,
                        .conflict(
                            "with its ${...} filled in, this value is longer than "
                                + "\(Self.bytesAtMost) bytes")))
                return nil
            }
        }
        return (text + rest, values)
    }

    private mutating func note(referencesIn raw: String) {
        for piece in raw.split(separator: "${", omittingEmptySubsequences: false).dropFirst() {
            let name = String(piece.prefix { $0 != "}" })
            if !references.contains(name) { references.append(name) }
        }
    }

    private func value(
        of name: String, _ place: Place, _ problems: inout [RigProblem]
    ) -> String? {
        if name.hasPrefix("file:") {
            let path = place.path(String(name.dropFirst(5)))
            guard let content = surroundings.contents(path) else {
                problems.append(
                    RigProblem(place, .unreadable(path))
                )
                return nil
            }
            return content.last?.isNewline == true ? String(content.dropLast()) : content
        }
        guard let value = surroundings.environment[name] else {
            problems.append(RigProblem(place, .noVariable(name)))
            return nil
        }
        return value
    }
}
