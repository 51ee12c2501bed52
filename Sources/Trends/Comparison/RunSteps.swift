internal import Dialects
internal import Journal
internal import Reports
internal import Statistics
internal import Vocabulary

/// What a run asked for by the steps of the abstract machine, so that runs of two protocols can be
/// held against each other (rest-v2.md § 16.1).
///
/// The counts of a second know an operation and not the screen that sent it, and `profiles-by-code` is
/// the TV's poll as well as the phone's check. Which of the two it was, and what a decision took in
/// all, single exchanges tell, where all of them were recorded.
struct RunSteps: Sendable {
    /// Requests that were sent, by step and operation.
    var sent: [SignInStep: [OperationName: Int]] = [:]
    /// Latency by subject: a step's name, or one of the two below.
    var times: [String: BlockBootstrap] = [:]
    var errors: [String: SharesInTime] = [:]
    /// Whether the polls of TVs are apart from the checks of phones.
    var tellsScreensApart = true
    /// Whether `decision` holds every decision.
    var sumsDecisions = true

    /// Polls and checks together.
    static let bothScreens = "poll or check"
    /// From `authorize` to the media token: two or three requests of V1, and one of V2.
    static let decision = "authorize to media token"

    /// `width` is the length of a stretch of time, in seconds.
    init(_ history: some Recorded, width: Int) throws {
        var stretches: [String: Stretches] = [:]
        var counted: [OperationName: Int] = [:]
        try history.cells { cell in
            let operation = cell.key.operation
            guard !operation.isOfConnection else { return }
            counted[operation, default: 0] += cell.ended
            let step = operation.step(onFirstScreen: true)
            sent[step, default: [:]][operation, default: 0] += cell.sent
            let stretch = max(0, cell.key.second) / width
            var subjects = operation == .profilesByCode ? [] : [step.name]
            if step == .poll || step == .confirm { subjects.append(Self.bothScreens) }
            for subject in subjects {
                stretches[subject, default: Stretches()].add(cell.latency, at: stretch)
                errors[subject, default: SharesInTime()]
                    .add(cell.errors, of: cell.ended, at: stretch)
            }
        }
        try read(history, counted, width: width, into: &stretches)
        for (subject, parts) in stretches { times[subject] = parts.bootstrap }
    }

    /// What only single exchanges tell.
    private mutating func read(
        _ history: some Recorded, _ counted: [OperationName: Int], width: Int,
        into stretches: inout [String: Stretches]
    ) throws {
        var (byCode, confirms) = (0, 0)
        var decisions = Decisions()
        var screens: [SignInStep: (times: Stretches, errors: SharesInTime)] = [:]
        try history.exchanges { exchange in
            let stretch = max(0, exchange.ended.second) / width
            let isFirst = exchange.device.role == .firstScreen
            switch exchange.operation {
            case .profilesByCode:
                byCode += 1
                if !isFirst { confirms += 1 }
                let step = exchange.operation.step(onFirstScreen: isFirst)
                var screen = screens[step] ?? (Stretches(), SharesInTime())
                if exchange.isTimed { screen.times.add(exchange.latency, at: stretch) }
                screen.errors.add(exchange.isError ? 1 : 0, of: 1, at: stretch)
                screens[step] = screen
            case .authorize, .authorizationToken, .mediaToken:
                decisions.add(exchange, at: stretch)
            default: break
            }
        }
        if let all = counted[.profilesByCode], all > 0 {
            tellsScreensApart = byCode >= all
            if tellsScreensApart {
                for (step, screen) in screens {
                    stretches[step.name] = screen.times
                    errors[step.name] = screen.errors
                }
                // Those that never left are few, and are counted with the TVs'.
                sent[.poll, default: [:]][.profilesByCode, default: 0] -= confirms
                sent[.confirm, default: [:]][.profilesByCode] = confirms
            }
        }
        let authorized = counted[.authorize] ?? 0
        sumsDecisions = authorized > 0 && decisions.count >= authorized
        if sumsDecisions { stretches[Self.decision] = decisions.times }
    }

    /// Requests of one step.
    func count(_ step: SignInStep) -> Int { sent[step]?.values.reduce(0, +) ?? 0 }

    /// The operations that it consisted of, in the order of `screenrig list`.
    func operations(_ step: SignInStep) -> [OperationName] {
        (sent[step] ?? [:]).filter { $0.value > 0 }.keys.sorted()
    }
}

/// Authorizations with the media tokens that followed: the sum of their latencies is what a viewer
/// waits for.
private struct Decisions {
    private struct Open {
        var resource: String?
        var took: Duration
        var stretch: Int
    }

    /// Of each device those that have no media token yet, the oldest first.
    private var open: [DeviceID: [Open]] = [:]
    private var closed = Stretches()
    private(set) var count = 0

    mutating func add(_ exchange: Exchange, at stretch: Int) {
        let resource = exchange.observation.resource
        if exchange.operation == .authorize {
            count += 1
            guard exchange.isTimed else { return }
            open[exchange.device, default: []].append(
                Open(resource: resource, took: exchange.latency, stretch: stretch))
            return
        }
        guard var own = open[exchange.device], !own.isEmpty else { return }
        let position =
            own.firstIndex { $0.resource == resource && resource != nil } ?? own.startIndex
        own[position].took += exchange.latency
        if exchange.operation == .mediaToken {
            let done = own.remove(at: position)
            closed.add(done.took, at: done.stretch)
        }
        open[exchange.device] = own
    }

    /// Those without a media token, such as a denial, count as they are.
    var times: Stretches {
        var all = closed
        for rest in open.values { for one in rest { all.add(one.took, at: one.stretch) } }
        return all
    }
}

extension ComparedRun {
    /// The same run, its times and errors by step.
    func bySteps(_ steps: RunSteps) -> ComparedRun {
        var run = self
        run.times = times.filter { Self.signIns.contains($0.key) }
        run.times.merge(steps.times) { _, step in step }
        run.errors = steps.errors
        return run
    }
}
