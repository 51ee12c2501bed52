public import Dialects

/// A fault that can be switched on: everything that is said of it anywhere, in one declaration beside
/// its injector. `list`, `explain`, completions, errors, the benches of detection and of races, and
/// the tests read it.
public struct FaultKind: Sendable, Hashable, CustomStringConvertible {
    public let name: String
    /// What it does, in one line.
    public let line: String
    /// The invariants that name it, likeliest first; none for controls.
    public let invariants: [String]
    /// What it takes, `probability` first.
    public let parameters: [FaultParameter]
    /// What the bench of `make detection` (rigs/detection.yaml) needs to show it.
    public let detection: Detection
    /// What the bench of `make races` looks for; empty: it is no matter of timing.
    public let races: [Race]
    /// Whether what one household does decides what another sees of it, beyond its own address: such a fault needs one
    /// service for all.
    public let meetsOthers: Bool
    /// Those in which it has a meaning.
    public let protocols: [ProtocolName]
    /// Default of the parameter that every fault has but those that act always.
    let probability: String?
    let injector: any FaultInjector.Type
    /// Its place in lists; controls come last.
    private let number: Int

    init(
        _ number: Int, _ name: String, _ line: String, violates invariants: [String],
        probability: String? = "100%", _ parameters: [FaultParameter] = [],
        detection: Detection = Detection(), races: [Race] = [],
        protocols: [ProtocolName] = ProtocolName.allCases, meetsOthers: Bool = false,
        injector: any FaultInjector.Type
    ) {
        self.meetsOthers = meetsOthers
        self.number = number
        self.name = name
        self.line = line
        self.invariants = invariants
        let share = probability.map {
            FaultParameter(
                "probability", .share, $0, "share of opportunities in which it is activated")
        }
        self.parameters = [share].compactMap(\.self) + parameters
        self.detection = detection
        self.races = races
        self.protocols = protocols
        self.probability = probability
        self.injector = injector
    }

    /// Whether every promise holds in spite of it.
    public var isControl: Bool { invariants.isEmpty }

    /// Every fault, then the controls (docs/stand-in.md, Faults). Each file of faults lists its
    /// own.
    public static let all: [FaultKind] =
        (ofTokenReads + ofHiddenSignIns + ofNodes + ofCodes + ofSignIns + ofEndings + ofLosses
        + ofProfiles + ofSessions + ofIdentities + ofGrants + ofLoad).sorted {
            $0.number < $1.number
        }

    /// Of registration codes, whose sign-ins are read again and again and tell their dates.
    static let ofAdobePass: [ProtocolName] = [.adobePassV1, .adobePassV2]
    static let grants: [ProtocolName] = [.oauthDeviceGrant]

    /// Nil when there is none of that name.
    public init?(named name: String) {
        guard let kind = Self.all.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// Two of one name are one.
    public static func == (left: FaultKind, right: FaultKind) -> Bool { left.name == right.name }
    public var description: String { name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension FaultKind {
    /// How a fault is run to see whether the judge finds it.
    public struct Detection: Sendable {
        /// Parameters that fit the bench: `window=1s`; empty: the defaults do.
        public var parameters = ""
        /// Keys of the rig and their values, as `--set` has them.
        public var sets: [(String, String)] = []
        /// The same for a service in another process.
        public var foreignSets: [(String, String)] = []
        /// What else names it in REST V2, where a device has several profiles and the media token lies in a
        /// decision.
        public var inV2: [String] = []
        /// The same of the OAuth device grant, where a device code serves once and a poll's answer ends the
        /// polling.
        public var inGrant: [String] = []
        /// No ordinary household sends what shows it: a matter of races alone.
        public var isOfRacesOnly = false
        /// Load, not order: no single answer is wrong, so that a suspicion is all that there can be.
        public var isStatistical = false
    }

    /// How a fault of timing is raced, and what is to come of it.
    public struct Race: Sendable {
        /// With a window of 30 ms.
        public let parameters: String
        public let plan: String
        /// The offsets at which it shows, in milliseconds; nil: it shows from or up to somewhere.
        public let low: Double?
        public let high: Double?
        /// Operations of the smallest reproduction.
        public let least: Int
        /// It shows on both sides alike, and either will do.
        public let isSymmetric: Bool
        /// Those in which it is raced so; the plans of the device grant have names of their own.
        public let protocols: [ProtocolName]

        init(
            _ parameters: String, plan: String, low: Double? = nil, high: Double? = nil,
            least: Int, isSymmetric: Bool = false,
            in protocols: [ProtocolName] = FaultKind.ofAdobePass
        ) {
            self.parameters = parameters
            self.plan = plan
            self.low = low
            self.high = high
            self.least = least
            self.isSymmetric = isSymmetric
            self.protocols = protocols
        }
    }

    /// How it is raced in a protocol; empty where it has no meaning there.
    public func races(in spoken: ProtocolName) -> [Race] {
        protocols.contains(spoken) ? races.filter { $0.protocols.contains(spoken) } : []
    }

    /// The invariants that name it in a protocol, likeliest first.
    public func invariants(in spoken: ProtocolName) -> [String] {
        switch spoken {
        case .adobePassV1: invariants
        case .adobePassV2: invariants + detection.inV2
        case .oauthDeviceGrant: invariants + detection.inGrant
        }
    }

    /// With parameters as `--fault` takes it.
    public func text(with parameters: String) -> String {
        name + (parameters.isEmpty ? "" : ":" + parameters)
    }
}
