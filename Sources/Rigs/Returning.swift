public import Statistics

/// Households that have been here before: their first screen keeps its client credentials, its access token and
/// its provider, and comes back with them (rest-v2.md § 14.2).
///
/// So that this holds at every service, they do sign in within the run: before the load begins (`Preparation`), or,
/// with `away`, as part of it.
public struct Returning: Sendable, Hashable {
    /// Of the kind's households, 0 to 1.
    public var share: Double = 0
    /// From the sign-in, when the app is closed, to its return; nil: the sign-in is from before the load.
    public var away: Distribution?

    /// Share of households that sign in before the load begins, 0 to 1.
    public var shareBefore: Double { away == nil ? share : 0 }
    /// Share of households that leave and come back while the load goes on, 0 to 1.
    public var shareWithin: Double { away == nil ? 0 : share }
}

extension Returning: RigSection {
    static let blank = Returning()
    static let keys: [Key<Returning>] = [
        Key(
            "share", .scalar(.share), into: \.share, example: "40%",
            "Share of the kind's households."),
        Key(
            "away", .scalar(.distribution), ifGiven: \.away, example: "\"uniform(10s, 60s)\"",
            alternative: true,
            "Time from the sign-in, when the app is closed, to its return. Default: they have signed "
                + "in before the load begins."),
    ]
}
