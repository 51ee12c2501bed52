internal import Foundation
internal import Rigs
internal import Runner

/// Reading a rig as the command line asks for it.
enum RigFile {
    /// The rig with `--set`, `--target`, `--seed`, `--lanes` and `--record` applied. Warnings go to
    /// standard error; problems end the command.
    static func read(
        _ traffic: TrafficOptions, isVirtual: Bool, tellsDoubts: Bool = true,
        besides more: [Override] = []
    ) throws -> Rig {
        var options = more
        if let lanes = traffic.lanes { options.append(Override("--lanes", "lanes", "\(lanes)")) }
        if let record = traffic.record { options.append(Override("--record", "record", record)) }
        if let rate = traffic.maxRate {
            options.append(Override("--max-rate", "target.max-rate", rate))
        }
        if let level = traffic.promises {
            options.append(Override("--promises", "promises", level))
        }
        _ = try FaultOptions.faults(traffic.play.faults)
        if let faults = FaultOptions.override(traffic.play.faults) {
            options.append(Override("--fault", faults.path, faults.value))
        }
        let rig = try read(
            traffic.rig, traffic.changes, besides: options, isVirtual: isVirtual,
            tellsDoubts: tellsDoubts)
        // Which of two of one name it was.
        if !traffic.play.quiet, !traffic.play.json, tellsDoubts, RigFolders.holds(traffic.rig) {
            Terminal.complain("rig: \(traffic.rig)")
        }
        return rig
    }

    /// An option that stands for a `--set`, and is named where its value is wrong.
    struct Override {
        var option: String
        var path: String
        var value: String

        init(_ option: String, _ path: String, _ value: String) {
            (self.option, self.path, self.value) = (option, path, value)
        }
    }

    static func read(
        _ rig: String, _ changes: RigChanges, besides more: [Override] = [],
        isVirtual: Bool = false, tellsNeeds: Bool = false, tellsDoubts: Bool = true
    ) throws -> Rig {
        let reading = try reading(rig, changes, besides: more, isVirtual: isVirtual)
        let doubts = reading.warnings + (tellsNeeds ? reading.needs : [])
        for warning in doubts where tellsDoubts {
            Terminal.complain(inWords: "warning: \(warning)", hanging: 9)
        }
        return reading.rig
    }

    /// The rig with what is doubtful about it, which is told to nobody yet.
    static func reading(
        _ rig: String, _ changes: RigChanges, besides more: [Override] = [],
        isVirtual: Bool = false, secrets: RigSurroundings.Secrets = .resolved
    ) throws -> RigReading {
        let seed = changes.seed.map { Override("--seed", "seed", "\($0)") }
        let named = (seed.map { [$0] } ?? []) + more
        let overrides = try changes.overrides.map(split) + named.map { ($0.path, $0.value) }
        // Virtual time has one target only, and needs no secret of another.
        let target: RigSurroundings.TargetOverride? =
            isVirtual ? .embedded : changes.target.map { .init($0) }
        let surroundings = RigSurroundings(
            overrides: overrides,
            target: target,
            environment: ProcessInfo.processInfo.environment, secrets: secrets)
        do {
            let reading = try Rig.read(contentsOf: rig, with: surroundings)
            _ = try Assembly.faults(reading.rig)
            return reading
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            let words = named.reduce("\(error)") { words, override in
                let key = override.path.split(separator: ".").last ?? ""
                return words.replacing(
                    "--set \(override.path): \(key) is ", with: "\(override.option) is "
                ).replacing("--set \(override.path): ", with: "\(override.option): ")
            }
            throw CommandFailure.badInput(words + neighbour(of: rig))
        }
    }

    /// For a file that is not there: the one beside it that was most likely meant.
    private static func neighbour(of path: String) -> String {
        guard !FileManager.default.fileExists(atPath: path) else { return "" }
        let (folder, name) = (
            (path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent
        )
        let there =
            (try? FileManager.default.contentsOfDirectory(
                atPath: folder.isEmpty ? "." : folder)) ?? []
        // Without what all of them end in, by which 'nope.yaml' is near to 'known.yaml'.
        let ending = ".yaml"
        let names = there.filter { $0.hasSuffix(ending) }.sorted().map { $0.dropLast(ending.count) }
        let word = name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
        if let stem = word.nearest(among: names.map(String.init)) {
            let near = stem + ending
            return "; did you mean '\((folder as NSString).appendingPathComponent(near))'?"
        }
        if let name = RigFolders.nearest(to: path) { return "; did you mean '\(name)'?" }
        return RigFolders.isName(path)
            ? "; 'screenrig list rigs' shows the rigs that have a name" : ""
    }

    static func split(_ override: String) throws -> (path: String, value: String) {
        guard let equals = override.firstIndex(of: "="), equals != override.startIndex else {
            throw CommandFailure.badInput(
                "--set '\(override)' has no value; write --set path.to.key=value")
        }
        return (String(override[..<equals]), String(override[override.index(after: equals)...]))
    }
}
