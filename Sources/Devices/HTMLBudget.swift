/// How much of a page is read: many times what login pages have. A page that has more is one that
/// nobody gets past, so that no page costs a lane more than a few milliseconds or megabytes.
enum HTMLBudget {
    static let bytes = 1_000_000
    static let tags = 50_000
    /// Of one tag.
    static let attributes = 500
    static let forms = 1_000
    /// Of all forms together.
    static let fields = 5_000

    /// Continues "the page".
    static func exceeded(_ what: String) -> String { "has more than \(what)" }
}
