internal import Journal
internal import Rendering
internal import Reports
internal import Rigs

/// What two runs must have in common for a difference to say something about the service.
struct Comparability: Sendable, Hashable {
    var rig: String
    var load: String
    var target: String
    var protocolName: String
    var isVirtual: Bool
    var lanes: Int
    var version: String
    static let wholePlan = "the whole plan"
    /// Which part of the plan it was: `wholePlan`, or `shard 3 of 8`, one that goes on where another ended apart.
    var part: String
    /// The rig as recorded.
    var rigSource: String
    /// Why the run's own numbers are not to be trusted; empty when they are.
    var doubts: [String]

    init(_ summary: Summary, _ header: HistoryHeader) {
        rig = summary.run.rig
        load = summary.run.load
        target = Self.withoutPort(summary.run.target)
        protocolName = summary.run.protocolName
        isVirtual = summary.run.isVirtual
        // Of a merged run those of one attempt of each shard: a shard that was started again has lanes in each.
        let attempts = max(1, summary.shards.count)
        lanes = summary.run.lanes * max(1, Set(summary.shards.map(\.shard)).count) / attempts
        version = summary.run.version
        part =
            summary.run.shard.map { shard in
                "shard \(shard.number) of \(shard.count)"
                    + (shard.earlier.isEmpty ? "" : ", attempt \(shard.attempt)")
            } ?? Self.wholePlan
        rigSource = header.rigSource
        doubts = []
        if summary.run.interrupted { doubts.append("was interrupted") }
        if summary.stoppedEarly != nil {
            doubts.append("was stopped before its end by its breaker or a threshold")
        }
        if summary.run.cutShort { doubts.append("was cut short") }
        if summary.exitStatus == .couldNotRun { doubts.append("could not run") }
        if !summary.mergeGaps.isEmpty { doubts.append("was merged without a part of its plan") }
        if summary.outage != nil { doubts.append("had a service outage") }
        if summary.isPacedByHand {
            doubts.append("had its arrivals changed by 'screenrig control'")
        }
        if !summary.rigHealth.valid { doubts.append("was limited by the load generator") }
    }

    /// The effective setting of each key of the rig that shapes the load or the service. Lanes are told as they were.
    var keys: [String: String] {
        Rig.settings(of: rigSource).filter {
            !Rig.keysThatChangeNoRequest.contains($0.key) && $0.key != "lanes"
        }
    }

    /// Whether a later run can be compared with this one without a warning, other than for the version.
    func isComparable(to other: Comparability) -> Bool {
        doubts.isEmpty && other.doubts.isEmpty && differences(from: other).isEmpty
    }

    /// The differences in set-up, for a reader: `different load: hold 50/s (base), hold 100/s (run)`;
    /// `besidesRig` those that lie in neither rig nor protocol.
    func differences(from base: Comparability, besidesRig: Bool = false) -> [String] {
        var told: [String] = []
        func tell(_ what: String, _ before: String, _ after: String) {
            if before != after {
                told.append("different \(what): \(before) (base), \(after) (run)")
            }
        }
        if !besidesRig { tell("rig", base.rig, rig) }
        tell("load", base.load, load)
        tell("part of the plan", base.part, part)
        tell("target", base.target, target)
        if !besidesRig { tell("protocol", base.protocolName, protocolName) }
        if isVirtual != base.isVirtual {
            told.append("one of the two runs was in virtual time")
        } else if !isVirtual, lanes != base.lanes {
            told.append("different number of lanes: \(base.lanes) (base), \(lanes) (run)")
        }
        guard rig == base.rig, !besidesRig, rigSource != base.rigSource else { return told }
        let (keys, before) = (keys, base.keys)
        let differing = Set(keys.keys).union(before.keys).filter { keys[$0] != before[$0] }
            .filter { !($0 == "load" && load != base.load) }
            .filter { !(["target", "faults"].contains($0) && target != base.target) }
        if !differing.isEmpty {
            told.append(
                "different rig keys: \(differing.sorted().joined(separator: ", "))")
        }
        return told
    }

    /// The stand-in of a run listens on another port each time.
    static func withoutPort(_ target: String) -> String {
        guard target.hasPrefix("embedded ("), let end = target.firstIndex(of: ")") else {
            return target
        }
        return "embedded" + target[target.index(after: end)...]
    }
}
