internal import Dialects
internal import Journal
internal import Races
package import Rigs

/// From what a search has found to files: each finding is shrunk, measured, held against its controls
/// and written to `cases/`.
struct RaceCases {
    let stage: RaceStage
    let directory: RunDirectory
    /// What is left for them of what was given.
    let allowance: Allowance

    init(_ stage: RaceStage, directory: RunDirectory, allowance: Allowance) {
        self.stage = stage
        self.directory = directory
        self.allowance = allowance
    }

    /// The path of each finding's case, in their order; nil where it could not be written, and `complain` is
    /// told why.
    func make(
        _ outcome: RaceOutcome, complain: (String) -> Void
    ) async -> [String?] {
        var paths: [String?] = []
        var names: [String: Int] = [:]
        for (number, finding) in outcome.findings.enumerated() {
            // A schedule makes nothing clearer of an answer that no page allows.
            if finding.invariant == .conforms {
                paths.append(nil)
                continue
            }
            let work = CaseWork(
                origin, on: AllowedArena(stage.arena, allowance), clean: clean,
                allowance: allowance)
            var made = await work.make(
                finding, example: outcome.examples[number], madeAt: madeAt)
            // What is documented and what is expected besides may be of one name.
            made.count(in: &names)
            do {
                paths.append(try CaseFolder(in: directory.path).write(made))
            } catch {
                complain("\(error)")
                paths.append(nil)
            }
        }
        return paths
    }

    /// In virtual time a case is the same text whenever it is made.
    private var madeAt: Int64 {
        stage.venue.isVirtual ? Venue.virtualEpoch : WallClock.microseconds
    }

    private var origin: CaseWork.SearchOrigin {
        let rig = stage.rig
        return CaseWork.SearchOrigin(
            version: Release.version,
            rig: Case.RigText(name: rig.name, source: rig.source), seed: rig.seed.value,
            policies: rig.policies.lines,
            target: Case.Target(
                name: stage.venue.targetName, protocolName: stage.rig.protocolNames),
            throttle: rig.standin.policies.throttle.map { _ in "as in the rig's policies" }
                ?? "none",
            startedMicroseconds: stage.startedMicroseconds, via: rig.proxyText)
    }

    /// The embedded stand-in without faults, as slow as the target was: the same schedule must do
    /// nothing there, or the judge is wrong.
    private var clean: CaseWork.Clean {
        let (rig, isVirtual, allowance) = (stage.rig.clean, stage.venue.isVirtual, allowance)
        return { latency, play in
            guard !allowance.isSpent,
                let other = try? await RaceStage(
                    rig.slow(by: latency), isVirtual: isVirtual, allowed: [])
            else { return nil }
            let arm = await play(AllowedArena(other.arena, allowance))
            await other.shutdown()
            return arm
        }
    }
}

extension Rig {
    /// The same rig on a stand-in that keeps its promises.
    var clean: Rig {
        var rig = self
        rig.target.base = .embedded
        rig.target.proxy = .none
        rig.faults = []
        return rig
    }

    /// With a stand-in that takes so long for each answer; what it takes by itself is below 2 ms.
    func slow(by latency: Duration) -> Rig {
        guard latency > .milliseconds(2) else { return self }
        var rig = self
        let milliseconds = Int(latency / .milliseconds(1))
        rig.faults = [
            FaultTerms(
                "slow:delay=\(milliseconds)ms,jitter=10%", at: Place(file: "the clean control"))
        ]
        return rig
    }

    /// The proxy that requests go through; nil without one.
    package var proxyText: String? {
        switch target.proxy {
        case .none: nil
        case .environment: "the environment's proxy"
        case .url(let url): WebAddress.withoutUser(url)
        }
    }
}
