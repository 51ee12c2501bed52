public import Statistics

/// Households that have been here before: their first screen keeps its client credentials, its access token and
/// its provider, and comes back with them (rest-v2.md § 14.2). So that this holds at every service, they sign in
/// within the run, close the app, and come back later.
public struct Returning: Sendable, Hashable {
    /// Of the kind's households, 0 to 1.
    public var share: Double = 0
    /// From the sign-in, when the app is closed, to its return.
    public var away: Distribution = .fixed(.seconds(60))
}

extension Returning: RigSection {
    static let blank = Returning()
    static let keys: [Key<Returning>] = [
        Key(
            "share", .scalar(.share), into: \.share, example: "40%",
            "Share of the kind's households."),
        Key(
            "away", .scalar(.distribution), into: \.away,
            "Time from the sign-in, when the app is closed, to its return."),
    ]
}
