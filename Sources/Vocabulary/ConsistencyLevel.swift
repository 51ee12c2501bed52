/// Consistency as the run showed it, weakest first: the strongest that holds is the headline.
public enum ConsistencyLevel: Int, CaseIterable, Sendable {
    case safety = 1
    case eventual, monotonicReads, readYourWrites, crossScreen, linearizable

    /// `monotonic reads`.
    public var name: String {
        switch self {
        case .safety: "safety"
        case .eventual: "eventual delivery"
        case .monotonicReads: "monotonic reads"
        case .readYourWrites: "read your writes"
        case .crossScreen: "cross-screen visibility"
        case .linearizable: "linearizable"
        }
    }

    /// What it says, in a sentence.
    public var promise: String {
        switch self {
        case .safety: "no token, code or media token was given to anyone but its owner"
        case .eventual:
            "every confirmed sign-in reached its TV within one poll interval"
        case .monotonicReads: "no TV saw its sign-in disappear without a cause"
        case .readYourWrites: "each screen saw the effects of its own requests"
        case .crossScreen: "once a sign-in was confirmed to the phone, the TV saw it"
        case .linearizable: "some order of the operations explains every response"
        }
    }
}
