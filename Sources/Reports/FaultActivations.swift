internal import Dialects
internal import Foundation
internal import Rendering

/// What the stand-in's faults did in a run, by its `truth.jsonl`: a fault that was never activated, or
/// that no answer showed, is no proof of a service without faults.
public struct FaultActivations: Sendable, Hashable {
    /// One fault.
    public struct Count: Sendable, Hashable {
        public var fault: String
        public var activated = 0
        /// Of these, what an answer made visible from outside.
        public var visible = 0
    }

    /// In the order in which they were switched on.
    public private(set) var counts: [Count] = []

    /// Of faults that are switched on.
    public init(_ faults: [String]) {
        for fault in faults { add(fault, Self.enabled) }
    }

    /// The event of a truth file that says that a fault is switched on, whatever comes of it.
    public static let enabled = "enabled"

    /// Reads the lines of a truth file; those that are none are passed over.
    public init(lines: String) {
        for line in lines.split(whereSeparator: \.isNewline) {
            guard
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
                    as? [String: Any],
                let fault = object["fault"] as? String, let event = object["event"] as? String
            else { continue }
            add(fault, event)
        }
    }

    /// Takes in one event of a fault: `enabled`, `activated` or `observable`.
    public mutating func add(_ fault: String, _ event: String) {
        let known = counts.firstIndex { $0.fault == fault }
        let position = known ?? counts.count
        if known == nil { counts.append(Count(fault: fault)) }
        switch event {
        case "activated": counts[position].activated += 1
        case "observable": counts[position].visible += 1
        default: break
        }
    }

    /// `Injected fault token-flap: activated 182 times, certainly visible in 160 responses`, one for each.
    public var sentence: String {
        counts.map { count in
            guard count.activated > 0 else { return Self.total(count) }
            return "\(Self.total(count)), certainly visible in "
                + (count.visible == 0 ? "no response" : Figures.counted(count.visible, "response"))
        }.joined(separator: "; ")
    }

    /// `injected fault token-flap: activated 182 times`, one for each: of races and replays, where the judge reads
    /// several responses together and none has to show the fault by itself.
    public var totals: String { counts.map(Self.total).joined(separator: "; ") }

    private static func total(_ count: Count) -> String {
        "injected fault \(Sanitizer.line(count.fault)): "
            + (count.activated == 0
                ? "never activated" : "activated \(Figures.counted(count.activated, "time"))")
    }

    /// For whoever reads the verdict; nil where no fault was switched on. `breaches`: how many were found,
    /// whatever they mean for the run. `spoken`: what the run's devices speak.
    func note(breaches: Int, in spoken: [String]) -> String? {
        guard !counts.isEmpty else { return nil }
        guard breaches == 0 else {
            return sentence
                + ". One response can violate several promises, or none by itself"
        }
        if counts.allSatisfy({ $0.activated == 0 }) {
            return sentence
                + ", so this run did not test it. This rig never triggers the fault; "
                + "\(Self.bench(spoken)) does where it has a meaning in \(spoken.joined(separator: " or ")) "
                + "('screenrig explain' tells): it keeps polling after the sign-in and the logout"
        }
        return sentence
            + ". No violation was found: a TV that stops polling at its first token rarely "
            + "sees the effect; \(Self.bench(spoken)) keeps polling"
    }

    /// The rig that shows the faults of a protocol.
    private static func bench(_ spoken: [String]) -> String {
        switch spoken.first.flatMap(ProtocolName.init) {
        case .oauthDeviceGrant: "rigs/detection-grant.yaml"
        case .adobePassV2: "rigs/detection-v2.yaml"
        case .adobePassV1, nil: "rigs/detection.yaml"
        }
    }
}

extension Summary {
    /// Says what the faults of the stand-in did, after what a reader must know anyway.
    mutating func add(_ activations: FaultActivations?) {
        let breaches = (findings?.verdicts ?? []).reduce(0) {
            $0 + $1.violations + $1.observed + $1.known + $1.suspected
        }
        guard let note = activations?.note(breaches: breaches, in: run.protocols) else { return }
        notes.append(note)
    }
}
