internal import Journal
internal import Rendering

/// Households of one provider (MVPD): a row of providers.csv.
public struct ProviderRow: Sendable, Hashable {
    /// Empty: households that came to no provider.
    public var mvpd: String
    public var households: Int
    public var signedIn: Int
    /// Of those, signed in on arrival.
    public var preSignedIn: Int
    public var failed: Int
    public var abandoned: Int
    /// Told at least once that the account may not watch what it asked for.
    public var notEntitled: Int
    /// Code shown → token seen by the TV.
    public var signIn: Spread?
    /// The same without the viewer's own time.
    public var service: Spread?
    /// The sign-in's last response at the phone → first poll that saw the token.
    public var visibility: Spread?

    init(_ mvpd: String, _ tally: Population.PopulationTally) {
        self.mvpd = Sanitizer.line(mvpd)
        households = tally.started
        signedIn = tally.signedIn
        preSignedIn = tally[.preSignedIn]
        failed = tally[.failed]
        abandoned = tally[.abandoned]
        notEntitled = tally.notEntitled
        signIn = Spread(tally.signIn)
        service = Spread(tally.signInService)
        visibility = Spread(tally.tokenVisibility)
    }

    static let columns: [Column<ProviderRow>] = [
        Column(
            "mvpd", json: "mvpd", page: "Provider", isText: true,
            about: "the provider (MVPD); empty: households that came to none",
            explained: .own(
                "the pay-TV provider (MVPD) with which a household signed in",
                "As its login or its token names it; '–' stands for households that came to none."),
            drawn: { $0.mvpd.isEmpty ? "–" : "\($0.mvpd)" }, value: { .text($0.mvpd) }),
        count(
            "households", "households", "Households", "that chose it, or whose token names it",
            like: "household"
        ) {
            $0.households
        },
        count(
            "signed_in", "signedIn", "Signed in", "households that signed in", like: "signed-in"
        ) { $0.signedIn },
        count(
            "pre_signed_in", "preSignedIn", "On arrival", "of those, signed in on arrival",
            like: "pre-signed-in"
        ) { $0.preSignedIn },
        count("failed", "failed", "Failed", "households that failed", like: "failed") { $0.failed },
        count(
            "abandoned", "abandoned", "Abandoned",
            "no sign-in: the viewer gave up, the code expired, or the run ended",
            like: "abandoned"
        ) { $0.abandoned },
        count(
            "not_entitled", "notEntitled", "Not entitled",
            "households told that the account may not watch; they stay signed in",
            like: "not-entitled"
        ) { $0.notEntitled },
        time(
            "sign_in_p50_ms", "Sign-in p50", "code shown → token seen, half of them",
            like: "percentile"
        ) {
            $0.signIn?.p50
        },
        time(
            "sign_in_p95_ms", "Sign-in p95", "code shown → token seen, 95 of 100",
            like: "percentile"
        ) {
            $0.signIn?.p95
        },
        time(
            "service_p95_ms", "Service p95", "the same without the viewer's own time",
            like: "percentile"
        ) {
            $0.service?.p95
        },
        time(
            "visibility_p95_ms", "Visibility p95",
            "the phone's last response → the TV's token, 95 of 100", like: "percentile"
        ) { $0.visibility?.p95 },
        Column(json: "signInMs") { .json(Spread.json($0.signIn)) },
        Column(json: "signInServiceMs") { .json(Spread.json($0.service)) },
        Column(json: "tokenVisibilityMs") { .json(Spread.json($0.visibility)) },
    ]

    private static func count(
        _ csv: String, _ json: String, _ head: String, _ about: String, like term: String,
        _ value: @escaping @Sendable (ProviderRow) -> Int
    ) -> Column<ProviderRow> {
        Column(csv, json: json, page: head, about: about, explained: .like(term)) {
            .count(value($0))
        }
    }

    private static func time(
        _ csv: String, _ head: String, _ about: String, like term: String,
        _ value: @escaping @Sendable (ProviderRow) -> Double?
    ) -> Column<ProviderRow> {
        Column(csv, page: head, about: about, explained: .like(term)) { row in
            value(row).map { .figure($0, Figures.time(milliseconds: $0)) } ?? .number(nil)
        }
    }
}
