internal import Foundation
internal import Rigs
internal import Staging
internal import Statistics

/// Reading a rig as the command line asks for it.
enum RigFile {
    /// The rig with `--set`, `--target`, `--seed`, `--lanes` and `--record` applied. Warnings go to
    /// standard error; problems end the command.
    static func read(_ traffic: TrafficOptions, isVirtual: Bool) throws -> Rig {
        var overrides: [(path: String, value: String)] = []
        if let lanes = traffic.lanes { overrides.append(("lanes", String(lanes))) }
        if let record = traffic.record { overrides.append(("record", record)) }
        if let rate = traffic.maxRate { overrides.append(("target.max-rate", rate)) }
        _ = try FaultOptions.faults(traffic.faults)
        if let faults = FaultOptions.override(traffic.faults) { overrides.append(faults) }
        return try read(traffic.rig, besides: overrides, isVirtual: isVirtual)
    }

    static func read(
        _ options: RigOptions, besides more: [(path: String, value: String)] = [],
        isVirtual: Bool = false, tellsNeeds: Bool = false
    ) throws -> Rig {
        var overrides = try options.overrides.map(split)
        if let seed = options.seed { overrides.append(("seed", String(seed))) }
        // Virtual time has one target only, and needs no secret of another.
        let target: RigSurroundings.TargetOverride? =
            isVirtual ? .embedded : options.target.map { .init($0) }
        let surroundings = RigSurroundings(
            overrides: overrides + more,
            target: target,
            environment: ProcessInfo.processInfo.environment)
        do {
            let reading = try Rig.read(contentsOf: options.rig, with: surroundings)
            let doubts = reading.warnings + (tellsNeeds ? reading.needs : [])
            for warning in doubts { Terminal.complain("warning: \(warning)") }
            _ = try Assembly.faults(reading.rig)
            return reading.rig
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure.badInput("\(error)")
        }
    }

    static func split(_ override: String) throws -> (path: String, value: String) {
        guard let equals = override.firstIndex(of: "="), equals != override.startIndex else {
            throw Failure.badInput(
                "--set '\(override)' has no value; write --set path.to.key=value")
        }
        return (String(override[..<equals]), String(override[override.index(after: equals)...]))
    }
}
