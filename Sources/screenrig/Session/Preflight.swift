internal import Devices
internal import Dialects
internal import Glibc
internal import Journal
internal import Lanes
internal import Rendering
internal import Reports
internal import Rigs
internal import Runner
internal import Signing
internal import Synchronization

/// What is found out about a target before a run begins (`target.probe`).
enum Preflight {
    /// What the service throttles by; nil where nobody wants to know: in virtual time, at the
    /// embedded target, and where all devices are to look alike.
    static func throttle(of rig: Rig, on venue: Venue, isQuiet: Bool) async throws -> ThrottleKey? {
        guard !venue.isVirtual, rig.target.probes(isNear: venue.isNear),
            rig.forwardedFor == .perDevice
        else { return nil }
        let salt = UInt64.random(in: .min ... .max)
        let plan = Plan(rig, seed: rig.seed, run: .random())
        let terms = RunConfiguration(
            rig, statement: Secret(Signing.demoSoftwareStatement()),
            dialect: venue.dialect(of:))
        guard let probe = ThrottleProbe(plan, terms: terms, salt: salt) else { return nil }
        if !isQuiet {
            Terminal.complain(
                "probe: testing how the service identifies devices when "
                    + "it throttles ...")
        }
        let lane = try venue.lane(of: "probe")
        let interrupts = Interrupts { number in
            if number > 1 { _exit(ExitCode.interrupted.rawValue) }
            lane.stop(at: .start)
        }
        let found = Mutex(ThrottleProbe.ProbeFinding(.unknown))
        await LaneThread.run {
            let finding = probe.find(on: lane)
            found.withLock { $0 = finding }
        }
        if interrupts.hasInterrupted {
            throw CommandFailure(code: .interrupted, message: "interrupted before the run started")
        }
        let finding = found.withLock { $0 }
        say(finding, isQuiet: isQuiet)
        return finding.key
    }

    /// A limit that all devices share spoils the run, and is told in any case.
    private static func say(_ finding: ThrottleProbe.ProbeFinding, isQuiet: Bool) {
        if finding.key == .peerAddress {
            complain("warning: \(finding.key.note)")
        } else if !isQuiet {
            let detail = finding.detail.isEmpty ? "" : " (\(finding.detail))"
            complain("probe: \(finding.key.note)\(detail)")
        }
    }

    private static func complain(_ text: String) {
        let lines = Wrapping.lines(text, width: Terminal.progressWidth, hanging: 2)
        Terminal.complain(lines.joined(separator: "\n"))
    }
}
