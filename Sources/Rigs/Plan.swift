public import Dialects
public import Statistics

/// Everything random is decided here, before the run: a pure function of rig, seed and run id. A
/// plan gives its k-th household on demand; nothing lists a million of them. It can be split: the
/// parts of a plan are plans over disjoint households, for lanes today and machines later.
public struct Plan: Sendable, Hashable {
    public let rig: Rig
    public let seed: Seed
    /// Distinguishes device ids and accounts of runs, when the rig asks for identities per run.
    public let run: String

    public init(_ rig: Rig, seed: Seed, run: String) {
        self.rig = rig
        self.seed = seed
        self.run = run
    }

    /// How many households will arrive; nil when that depends on how fast they live (closed load
    /// for a time).
    public var households: Int? { nil }

    /// The `index`-th household, from 0; nil past the last.
    public func household(_ index: Int) -> HouseholdPlan? { nil }
}

/// One household's script.
public struct HouseholdPlan: Sendable, Hashable {
    public var index: Int
    public var kind: HouseholdKind
    /// When it arrives, since the start of the run; nil under closed load, where it follows another.
    public var arrival: Duration?
    public var firstScreen: DeviceIdentity
    public var secondScreens: [DeviceIdentity]
    public var account: Account
    /// Picks the provider: a number in `0..<1` over the weights.
    public var providerDraw: Double
    public var viewer: ViewerPlan
    /// What the TV does after sign-in, with every share already decided.
    public var activities: [PlannedActivity]
    public var asksForNewCode: Bool
    /// Phase (0..<1 of the interval) and jitter of its polls come from this seed.
    public var pollSeed: Seed

    public init(
        index: Int, kind: HouseholdKind, arrival: Duration?, firstScreen: DeviceIdentity,
        secondScreens: [DeviceIdentity], account: Account, providerDraw: Double, viewer: ViewerPlan,
        activities: [PlannedActivity], asksForNewCode: Bool, pollSeed: Seed
    ) {
        self.index = index
        self.kind = kind
        self.arrival = arrival
        self.firstScreen = firstScreen
        self.secondScreens = secondScreens
        self.account = account
        self.providerDraw = providerDraw
        self.viewer = viewer
        self.activities = activities
        self.asksForNewCode = asksForNewCode
        self.pollSeed = pollSeed
    }
}

/// The viewer's times and choices.
public struct ViewerPlan: Sendable, Hashable {
    public var noticesCode: Duration
    public var signsIn: Duration
    /// Leaves instead of signing in, after noticing the code.
    public var givesUp: Bool

    public init(noticesCode: Duration, signsIn: Duration, givesUp: Bool) {
        self.noticesCode = noticesCode
        self.signsIn = signsIn
        self.givesUp = givesUp
    }
}

/// An activity that this household will really do.
public enum PlannedActivity: Sendable, Hashable {
    case userMetadata, preauthorize, authorize, mediaToken
    case watch(Duration)
    case logout
    case again
}
