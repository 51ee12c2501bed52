public import Vocabulary

extension Duration {
    /// Reads a duration as rigs write it, `1m30s`; nil when it is none.
    public init?(rigText text: String) {
        guard let value = try? Scalar.duration.parse(text) as? Duration else { return nil }
        self = value
    }
}

extension Rate {
    /// Reads a rate as rigs write it, `20/s`; nil when it is none.
    public init?(rigText text: String) {
        guard let value = try? Scalar.rate.parse(text) as? Rate else { return nil }
        self = value
    }
}
