extension Duration {
    /// Reads a duration as rigs write it, `1m30s`; nil when it is none.
    public init?(rigText text: String) {
        guard let value = try? Spelling.time(text) else { return nil }
        self = value
    }
}

extension Rate {
    /// Reads a rate as rigs write it, `20/s`; nil when it is none.
    public init?(rigText text: String) {
        guard let value = try? Scalar<Rate>.rate.parse(text) else { return nil }
        self = value
    }
}
