internal import Formats
internal import Journal
internal import Rendering

/// What happened before the load, while households that return signed in: in no other figure.
public struct PreparationSummary: Sendable, Hashable {
    /// How long it took.
    public var seconds: Int
    /// Households that were signed in when the load began, and those that were not: they arrive as new ones.
    public var signedIn: Int
    public var notSignedIn: Int
    public var requests: Int
    public var errors: Int
    /// Why the first that could not could not; empty where all could.
    public var firstCause: String

    /// `Before the load, 41 households signed in within 14 s: 984 requests, 0 errors. No other figure counts them`.
    public var sentence: String {
        let failed =
            notSignedIn == 0
            ? ""
            : "; \(Figures.count(notSignedIn)) could not, and arrived as new ones (the first: \(firstCause))"
        return "before the load, \(Figures.counted(signedIn, "household")) signed in within "
            + "\(Figures.count(seconds)) s: \(Figures.counted(requests, "request")), "
            + "\(Figures.counted(errors, "error"))\(failed). No other figure counts them"
    }

    var json: JSON {
        .members([
            ("seconds", .integer(seconds)), ("signedIn", .integer(signedIn)),
            ("notSignedIn", .integer(notSignedIn)), ("requests", .integer(requests)),
            ("errors", .integer(errors)),
        ])
    }
}

extension PreparationSummary {
    /// Nil of a run without. `sum`: of all requests before the load.
    init?(_ history: some Recorded, seconds: Int, sum: Cell) throws {
        guard seconds > 0 else { return nil }
        self.init(
            seconds: seconds, signedIn: 0, notSignedIn: 0, requests: sum.sent, errors: sum.errors,
            firstCause: "")
        try history.events { event in
            switch event.name {
            case "signed in before": signedIn += 1
            case "not signed in before":
                if notSignedIn == 0 { firstCause = Sanitizer.line(event.detail) }
                notSignedIn += 1
            default: break
            }
        }
    }
}
