internal import Formats

/// Fields of an answer that repeat what was asked.
enum Echo {
    /// What differs; nil where the field is missing or no text, which the table of fields tells.
    /// `page`: that of the protocol and the request, as in `REST V2, S1`.
    static func deviation(
        of value: JSONDocument.Value?, _ name: String, asked: String, _ page: String,
        _ source: Deviation.Source = .documented
    ) -> Deviation? {
        guard let value, value.kind == .string,
            value.withText({ $0.isEqual(to: asked) }) == false, let told = value.text, told != asked
        else { return nil }
        return deviation(name, told: told, asked: asked, page, source)
    }

    /// `told` in the place of `asked`.
    static func deviation(
        _ name: String, told: String, asked: String, _ page: String,
        _ source: Deviation.Source = .documented
    ) -> Deviation {
        Deviation(
            rule: "\(page): \(name) is the one asked for",
            found: "'\(told.prefix(60))' for '\(asked.prefix(60))'", source: source)
    }
}
