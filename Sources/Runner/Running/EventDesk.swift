internal import Dialects
internal import Dispatch
internal import Foundation
internal import Journal
internal import Rigs
internal import Synchronization

/// The events of a run: runs the rig's commands when they are due, takes marks from outside, and keeps all of them in
/// the history.
///
/// Safe because everything that changes is in a `Mutex`.
final class EventDesk: @unchecked Sendable {
    private let terms: [EventTerms]
    private let keep: @Sendable (RunEvent) -> Void
    private let gate: OutputGate
    private let say: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "screenrig.events", attributes: .concurrent)
    private let state = Mutex(State())

    private struct State {
        var events: [RunEvent] = []
        var isOver = false
        /// Time zero of the rig's events.
        var zero = Instant.start
        /// Positions of what has begun and is still to end.
        var open: Set<Int> = []
        /// Ends the commands that are running, by position.
        var stops: [Int: @Sendable () -> Void] = [:]
        var running = 0
    }

    private let idle = DispatchSemaphore(value: 0)

    /// `keep` gets each event as it begins, and again with what came of it.
    init(
        _ events: [EventTerms], gate: OutputGate,
        keep: @escaping @Sendable (RunEvent) -> Void, say: @escaping @Sendable (String) -> Void
    ) {
        terms = events
        self.keep = keep
        self.gate = gate
        self.say = say
    }

    /// All so far, in the order of their begin.
    var events: [RunEvent] { state.withLock { $0.events } }

    /// What is due comes at its time, counted from `zero` of that clock; what was due before `since` has come in an
    /// earlier attempt.
    func begin(
        from zero: Instant, since: Instant = .start, clock: @escaping @Sendable () -> Instant
    ) {
        state.withLock { $0.zero = zero }
        let now = clock()
        for event in terms where since == .start || zero + event.at >= since {
            let due = zero + event.at - now
            queue.asyncAfter(deadline: .now() + due / .seconds(1)) { [self] in
                start(event, at: clock(), clock)
            }
        }
    }

    /// In virtual time nothing is run: events are where the rig has them, up to `end`.
    func mark(from zero: Instant, through end: Instant) {
        for event in terms {
            let began = zero + event.at
            guard began <= end else { continue }
            add(
                RunEvent(
                    name: event.name, origin: .rig, began: began,
                    ended: event.until.map { min(end, zero + $0) }))
        }
    }

    /// A mark, or something that was done to the load.
    func note(
        _ name: String, _ edge: RunRequest.MarkEdge, at instant: Instant, origin: RunEvent.Origin
    ) {
        switch edge {
        case .end:
            let open = state.withLock { state in
                state.events.lastIndex {
                    $0.name == name && $0.origin == origin && $0.ended == nil
                        && $0.began <= instant
                }
            }
            if let open { return change(open) { $0.ended = instant } }
            say("note: the end of '\(name)' was marked without its begin; it is a moment now")
            add(RunEvent(name: name, origin: origin, began: instant))
        case .begin: add(RunEvent(name: name, origin: origin, began: instant), isOpen: true)
        case .moment: add(RunEvent(name: name, origin: origin, began: instant))
        }
    }

    /// What somebody marks from outside, and says so.
    func mark(_ name: String, _ edge: RunRequest.MarkEdge, at instant: Instant) {
        note(name, edge, at: instant, origin: .mark)
        say("event: \(name)\(edge == .moment ? "" : ", its \(edge.rawValue)")")
    }

    /// The lanes have come to rest: commands that still run are ended, and so is what has begun and not ended.
    func end(at instant: Instant) {
        let (stops, running) = state.withLock { state in
            state.isOver = true
            return (Array(state.stops.values), state.running)
        }
        for stop in stops { stop() }
        for _ in 0..<running { _ = idle.wait(timeout: .now() + 3) }
        let (events, open) = state.withLock { ($0.events, $0.open) }
        for (position, event) in events.enumerated() {
            let goesOn = open.contains(position)
            if goesOn, event.origin == .mark {
                say(
                    "note: the end of '\(event.name)' was not marked; it lasts until the end of the run"
                )
            }
            guard goesOn || event.ended ?? .start > instant else { continue }
            change(position) { $0.ended = max($0.began, instant) }
        }
    }

    private func start(
        _ event: EventTerms, at began: Instant, _ clock: @escaping @Sendable () -> Instant
    ) {
        let arguments = event.arguments
        let command = event.run ?? ""
        guard
            let position = add(
                RunEvent(
                    name: event.name, origin: .rig, began: began,
                    command: gate.text(Untrusted(command))),
                isOpen: arguments.isEmpty && event.until != nil, runs: !arguments.isEmpty)
        else { return }
        let until = event.until.map { state.withLock(\.zero) + $0 }
        if arguments.isEmpty {
            if let until {
                queue.asyncAfter(deadline: .now() + (until - began) / .seconds(1)) { [self] in
                    let isOver = state.withLock(\.isOver)
                    if !isOver { change(position) { $0.ended = clock() } }
                }
            }
            return
        }
        let run = ProcessRun.run(
            "/usr/bin/env", arguments, within: event.timeout, joined: true
        ) { stop in
            let isOver = state.withLock { state in
                state.stops[position] = stop
                return state.isOver
            }
            if isOver { stop() }
        }
        let ended = clock()
        let isOver = state.withLock { state in
            state.stops[position] = nil
            return state.isOver
        }
        let (status, words) = Self.result(run, cutOff: isOver)
        let output = shown(run.output + words)
        change(position) { event in
            event.status = status
            event.output = output
            event.ended = until.map { isOver ? min($0, ended) : $0 } ?? ended
        }
        if status != 0 {
            say(
                "note: the command of event '\(event.name)' \(words.isEmpty ? "ended with status \(status ?? 0)" : words)"
            )
        }
        state.withLock { $0.running -= 1 }
        idle.signal()
    }

    private static func result(_ run: ProcessRun, cutOff: Bool) -> (status: Int?, words: String) {
        switch run.ending {
        case .exit(let status): (Int(status), "")
        case .signal(let number):
            (nil, cutOff ? "was ended with the run" : "was killed by signal \(number)")
        case .tooLate: (nil, "took longer than its timeout and was killed")
        // Of a command only the end of its output is kept.
        case .tooMuch: (nil, "was ended")
        case .notStarted(let why): (nil, "could not be started: \(why)")
        }
    }

    /// The last of it, line by line, as the gate lets it through.
    private func shown(_ output: String) -> String {
        output.suffix(RunEvent.outputLimit).split(separator: "\n", omittingEmptySubsequences: false)
            .map { gate.text(Untrusted(String($0))) }.joined(separator: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @discardableResult
    private func add(_ event: RunEvent, isOpen: Bool = false, runs: Bool = false) -> Int? {
        let position = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            let position = state.events.count
            state.events.append(event)
            if isOpen { state.open.insert(position) }
            if runs { state.running += 1 }
            return position
        }
        if position != nil { keep(event) }
        return position
    }

    private func change(_ position: Int, _ body: (inout RunEvent) -> Void) {
        let event = state.withLock { state in
            body(&state.events[position])
            if state.events[position].ended != nil { state.open.remove(position) }
            return state.events[position]
        }
        keep(event)
    }
}
