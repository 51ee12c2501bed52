internal import Journal
internal import Rendering
internal import Rigs

/// Households of one kind: what they are, how many held a token from before, and what they asked for.
public struct KindRow: Sendable, Hashable {
    public var kind: String
    /// Word of the rig, such as `roku`; empty where its rig cannot be read any more.
    public var firstScreen: String
    public var requestor: String
    public var households: Int
    /// Signed in on arrival.
    public var returning: Int
    public var signedIn: Int
    public var failed: Int
    /// Requests of the load.
    public var requests: Int
    /// Code shown → token seen by the TV, without the viewer's own time.
    public var service: Spread?

    /// By the rig's kinds.
    static func rows(_ fold: RunFold) -> [KindRow] {
        let rig = LoadStage.rig(of: fold.header)
        return fold.header.kinds.map { name in
            let kind = rig?.kinds.first { $0.name == name }
            let tally = fold.tally(kind: name)
            return KindRow(
                kind: Sanitizer.line(name), firstScreen: kind?.firstScreen.rawValue ?? "",
                requestor: Sanitizer.line(
                    kind?.application?.requestor ?? rig?.target.requestor ?? ""),
                households: tally.started, returning: tally[.preSignedIn],
                signedIn: tally.signedIn, failed: tally[.failed],
                requests: fold.sum(kind: name).sent, service: Spread(tally.signInService))
        }
    }

    static let columns: [Column<KindRow>] = [
        text("kind", "Kind", .like("kind")) { $0.kind },
        text(
            "firstScreen", "First screen",
            .own(
                "the device that wants to play, such as tvos or roku",
                "first-screen of the kind in the rig; it shows the code and polls.")
        ) { $0.firstScreen },
        text(
            "requestor", "Requestor",
            .own(
                "the programmer whose app the first screen runs",
                "requestor of the kind in the rig, or of its target.")
        ) { $0.requestor },
        count("households", "Households", .like("household")) { $0.households },
        count(
            "new", "New",
            .own(
                "households that arrived without a sign-in",
                "The others had signed in before the load began: 'returning' of their kind.")
        ) { $0.households - $0.returning },
        count("returning", "Signed in on arrival", .like("pre-signed-in")) { $0.returning },
        count("signedIn", "Signed in", .like("signed-in")) { $0.signedIn },
        count("failed", "Failed", .like("failed")) { $0.failed },
        count(
            "requests", "Requests",
            .own(
                "requests that were sent during the load",
                "Those of the sign-ins before it, of households that return, are not counted.")
        ) { $0.requests },
    ]

    private static func text(
        _ json: String, _ head: String, _ explained: Column<KindRow>.Explained,
        _ value: @escaping @Sendable (KindRow) -> String
    ) -> Column<KindRow> {
        Column(json: json, page: head, isText: true, explained: explained) { .text(value($0)) }
    }

    private static func count(
        _ json: String, _ head: String, _ explained: Column<KindRow>.Explained,
        _ value: @escaping @Sendable (KindRow) -> Int
    ) -> Column<KindRow> {
        Column(json: json, page: head, explained: explained) { .count(value($0)) }
    }
}
