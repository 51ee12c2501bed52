internal import Formats

extension Digest {
    /// Of the message to `--notify` (`digest` of `screenrig/night/1`). Keys may be added, none removed or renamed.
    func json(link: String, text: String, files: DigestFiles?) -> JSON {
        .members([
            ("colour", .string(colour.rawValue)),
            ("subject", .string(subject)),
            ("headline", .string(headline)),
            ("findings", .array(findings.map(Self.json))),
            ("notes", .array(notes.map(JSON.string))),
            ("link", .string(link)),
            ("text", .string(text)),
            ("textFile", files.map { .string($0.text) } ?? .null),
            ("htmlFile", files.map { .string($0.page) } ?? .null),
        ])
    }

    private static func json(_ finding: Finding) -> JSON {
        .members([
            ("kind", .string(finding.kind.rawValue)), ("colour", .string(finding.colour.rawValue)),
            ("name", .string(finding.name)), ("text", .string(finding.text)),
            ("short", .string(finding.short)),
            (
                "since",
                finding.since.map { since in
                    .members([
                        ("night", .string(since.night)), ("mark", .string(since.mark)),
                        ("markBefore", .string(since.markBefore)),
                        ("events", .array(since.events.map(JSON.string))),
                        ("gradual", .bool(since.isGradual)), ("text", .string(since.text)),
                    ])
                } ?? .null
            ),
        ])
    }
}
