internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Glibc
internal import Journal
internal import Reports
internal import Rigs
internal import Runner
internal import Statistics
internal import Vocabulary

struct FindLimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-limit",
        abstract: "Raise the arrival rate until a threshold is missed; report the limit.",
        discussion: """
            Example:
                screenrig find-limit limit --virtual \\
                    --threshold 'poll-token p99 < 250ms'
                screenrig find-limit rigs/mine.yaml --from 0.5/s --to 20/s

            Each step is a run of its own at a steady rate of arriving households. The rate doubles until a \
            threshold is missed; then steps go where they say most about the limit and are repeated near it, \
            until the 95 % interval is as narrow as --resolution. A step begins with a warm-up, which nothing \
            is read from. Without --threshold, those of the rig apply; 'errors < 1%', 'households failed < \
            5%' and 'households abandoned < 5%' apply unless a threshold replaces them.

            It leaves limit.json, steps.csv, limit.html and a run directory for each step. A step in which the \
            rig was late is not counted and is repeated once. If the rig itself cannot keep up, the search \
            ends and says so. Ctrl-C ends it with what is known so far.

            Exit codes: 0 a limit found, or none up to --to or the last of --max-steps; 1 thresholds missed at \
            --from already, or in every step; 2 bad command line or rig; 3 could not run; 4 the rig, not the service, was the limit; 130 interrupted.
            """)

    @OptionGroup var traffic: TrafficOptions

    @Option(
        name: .customLong("threshold"),
        help: ArgumentHelp(
            "What must hold, as in 'thresholds' of a rig; repeatable. Default: those of the rig.",
            valueName: "LINE"))
    var thresholds: [String] = []

    @Option(help: ArgumentHelp("Households per second to begin with.", valueName: "RATE"))
    var from = "1/s"

    @Option(help: ArgumentHelp("Highest rate to try.", valueName: "RATE"))
    var to = "1000/s"

    @Option(
        help: ArgumentHelp(
            "Length of the part of a step that decides, in whole seconds.", valueName: "T"))
    var stepFor = "60s"

    @Option(
        help: ArgumentHelp(
            "Length of the warm-up of a step; default: a household's expected lifetime.",
            valueName: "T"))
    var warmUp: String?

    @Option(
        help: ArgumentHelp("Time between two steps, for the service to recover.", valueName: "T"))
    var pause = "5s"

    @Option(
        help: ArgumentHelp(
            "Width of the interval at which the search ends, 1% to 100%.", valueName: "SHARE"))
    var resolution = "10%"

    @Option(help: ArgumentHelp("End after this many steps.", valueName: "N"))
    var maxSteps = 30

    @Flag(
        name: .customLong("virtual"),
        help: "Run in virtual time against the stand-in in this process."
    )
    var isVirtual = false

    func validate() throws {
        if !(1...500).contains(maxSteps) {
            throw ValidationError("--max-steps is \(maxSteps); it must be 1 to 500")
        }
        let (low, high) = (try Self.rate(from, "--from"), try Self.rate(to, "--to"))
        if low > high { throw ValidationError("--from \(from) is above --to \(to); swap them") }
        _ = try (steadySeconds, warmUpSeconds, pauseTime, widestInterval)
    }

    func run() async throws {
        do {
            do {
                try await search()
            } catch let error as RunError {
                throw CommandFailure(error)
            }
        } catch let failure as CommandFailure where traffic.play.json && !failure.message.isEmpty {
            Terminal.print(
                ProgressJSON.failure(failure.message, exitCode: failure.code.rawValue))
            throw failure
        }
    }

    private func search() async throws {
        let rig = try limited(RigFile.read(traffic, isVirtual: isVirtual, besides: lines))
        let load = rig.load
        let life = PlanEstimate(Plan(rig, seed: rig.seed), on: .here(for: rig)).life
        let warmUp = try warmUpSeconds ?? Self.wholeSeconds(life)
        let steady = try steadySeconds
        let directory = try CommandFailure.catching(as: .couldNotRun) {
            try RunDirectory.create(
                rig: "limit \(rig.name)", startedMicroseconds: WallClock.microseconds,
                out: traffic.out)
        }
        let terms = LimitRun.Terms(
            search: LimitSearch.Terms(
                from: try Self.rate(from, "--from"), to: try Self.rate(to, "--to"),
                resolution: try widestInterval, stepsAtMost: maxSteps),
            stepSeconds: steady, warmUpSeconds: warmUp, pause: try pauseTime,
            isVirtual: isVirtual, allowed: traffic.play.allowed)
        let run = LimitRun(
            rig, terms, into: directory,
            rigOfStep: { rate, seed in
                let arrivals = Self.load(
                    rate: rate, seconds: warmUp + steady, like: load)
                return try limited(
                    RigFile.read(
                        traffic, isVirtual: isVirtual, tellsDoubts: false,
                        besides: lines + [
                            .init("--from", "load", arrivals), .init("--seed", "seed", "\(seed)"),
                            .init("--threshold", "shows", "[]"),
                        ]))
            },
            options: { rig, venue in
                var options = RunOptions()
                options.judges = !traffic.skipsChecks
                options.judgeBacklog = traffic.judgeBacklog
                options.throttledBy = try await traffic.throttle(of: rig, on: venue)
                return options
            },
            observer: {
                RunDisplay(traffic.play.json || traffic.play.quiet ? .nothing : display, nil)
            })
        let interrupts = Interrupts { number in
            if number > 2 { _exit(ExitCode.interrupted.rawValue) }
            run.interrupt()
        }
        defer { withExtendedLifetime(interrupts) {} }
        try conclude(try await run.run(tell), in: directory)
    }

    /// A block of one step is redrawn in place; in virtual time steps pass too quickly to be shown.
    private var display: RunDisplay.Form {
        isVirtual ? .nothing : Terminal.redraws ? .block : .nothing
    }

    private func tell(_ news: LimitRun.News) {
        switch (news, traffic.play.json) {
        case (.begins(let number, let rate, let time), false)
        where !traffic.play.quiet && !isVirtual:
            Terminal.complain(
                "step \(number): \(LimitReport.rate(rate)) for about \(Self.wholeSeconds(time)) s ..."
            )
        case (.late(let number, let rate, let reason), _) where !traffic.play.quiet:
            Terminal.complain(
                inWords:
                    "step \(number): \(LimitReport.rate(rate)) is not counted, since the rig was late, and is repeated: "
                    + reason)
        case (.ended(let step), false) where !traffic.play.quiet:
            Terminal.complain(inWords: LimitReport.sentence(step))
        case (.ended(let step), true): Terminal.print(LimitReport.line(step))
        default: break
        }
    }

    private func conclude(_ report: LimitReport, in directory: RunDirectory) throws {
        for file in report.files {
            do {
                try PrivateFile.write(Data(file.text.utf8), to: directory.file(file.name))
            } catch {
                throw CommandFailure.couldNotRun(
                    "\(directory.file(file.name)) cannot be written: \(PrivateFile.reason(of: error))"
                )
            }
        }
        let code: ExitCode =
            switch report.ending {
            case .found, .holdsThrough: .passed
            case .stepsUsed: report.nothingHeld ? .failed : .passed
            case .missesFrom: .failed
            case .rigWasLimit: .untrusted
            case .interrupted: .interrupted
            case .couldNotRun: .couldNotRun
            }
        if traffic.play.json {
            Terminal.print(report.result(exitCode: code.rawValue, path: directory.path))
        } else {
            Terminal.print(inWords: report.headline)
            Terminal.print("report: \(directory.file("limit.html"))")
        }
        if code != .passed { throw CommandFailure(code: code, message: "") }
    }

    // MARK: The rig of a step

    private var lines: [RigFile.Override] {
        guard !thresholds.isEmpty else { return [] }
        let list = thresholds.map { JSON.string($0).text(.compact) }.joined(separator: ", ")
        return [RigFile.Override("--threshold", "thresholds", "[\(list)]")]
    }

    /// The rig with the thresholds of a step. Thresholds on promises and events are about a whole run, so those
    /// of the rig are left out; `--threshold` can name promises, and throws for events, which a step does not
    /// have.
    private func limited(_ rig: Rig) throws -> Rig {
        var rig = rig
        let asked = Set(thresholds)
        rig.thresholds = rig.thresholds.filter { line in
            if asked.contains(line.text) { return true }
            return switch line.subject {
            case .violations, .undecided, .invariant, .recovery: false
            default: true
            }
        }
        for position in rig.thresholds.indices { rig.thresholds[position].abortsAfter = nil }
        guard
            let foreign = rig.thresholds.first(where: {
                if case .recovery = $0.subject { true } else { false }
            })
        else { return rig }
        throw CommandFailure.badInput(
            "--threshold '\(foreign.text)' is about an event of a run; a step has none")
    }

    private static func load(rate: Double, seconds: Int, like load: Load) -> String {
        let spacing: Load.Arrivals.Spacing =
            if case .open(let arrivals) = load { arrivals.spacing } else { .poisson }
        let settle = min(wholeSeconds(load.settle), longestSettle)
        let text = DecimalText.trimmed(rate, 6)
        return "{arrivals: [{ramp-to: \(text)/s, over: 0s}, {hold: \(seconds)s}], "
            + "spacing: \(spacing.rawValue), settle: \(settle)s}"
    }

    /// Longest settle phase in seconds: a step reads nothing after its steady part.
    private static let longestSettle = 2

    // MARK: Values

    private var steadySeconds: Int {
        get throws {
            let seconds = Self.wholeSeconds(try Self.duration(stepFor, "--step-for"))
            guard (1...86_400).contains(seconds) else {
                throw ValidationError("--step-for is \(stepFor); it must be 1s to 24h")
            }
            return seconds
        }
    }

    private var warmUpSeconds: Int? {
        get throws { try warmUp.map { Self.wholeSeconds(try Self.duration($0, "--warm-up")) } }
    }

    private var pauseTime: Duration { get throws { try Self.duration(pause, "--pause") } }

    private var widestInterval: Double {
        get throws {
            guard resolution.hasSuffix("%"), let percent = Double(resolution.dropLast()),
                (1...100).contains(percent)
            else {
                throw ValidationError("--resolution is '\(resolution)'; it must be 1% to 100%")
            }
            return percent / 100
        }
    }

    private static func wholeSeconds(_ time: Duration) -> Int {
        let (seconds, rest) = time.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }

    private static func duration(_ text: String, _ name: String) throws -> Duration {
        guard let duration = Duration(rigText: text) else {
            throw ValidationError("\(name) is '\(text)'; it must be a duration such as 60s")
        }
        return duration
    }

    private static func rate(_ text: String, _ name: String) throws -> Double {
        guard let rate = Rate(rigText: text)?.perSecond, (0.001...1_000_000).contains(rate) else {
            throw ValidationError(
                "\(name) is '\(text)'; it must be a rate of households such as 2/s, 0.001/s to 1000000/s"
            )
        }
        return rate
    }
}
