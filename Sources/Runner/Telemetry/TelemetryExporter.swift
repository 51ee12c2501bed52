internal import Dialects
internal import Dispatch
internal import Foundation
internal import Journal
package import Reports
internal import Rigs
internal import Statistics
internal import Synchronization
internal import Wire

/// Sends a run's metrics, and on request a span for each exchange, to an OpenTelemetry collector during the run
/// (docs/live.md, OpenTelemetry).
///
/// It never makes a lane wait: lanes hand over the batches that the journal gets, and batches that do not fit into a
/// bounded queue are counted and dropped. Everything else happens on a queue of its own.
///
/// Safe because `poster`, `messages` and `timer` are used on `queue` only, or while that waits (`Background`), which
/// `assertOnQueue` checks; other mutable state is in a `Mutex`.
package final class TelemetryExporter: @unchecked Sendable {
    private let collector: Collector
    private let sendsSpans: Bool
    private let queue = DispatchQueue(label: "screenrig.telemetry", qos: .utility)
    private let background = Background()
    private let poster: Poster
    /// Nil before `begin`: libdispatch ends the process where a source is released that was never activated.
    private var timer: (any DispatchSourceTimer)?
    private let shared = Mutex(Waiting())
    private var messages: TelemetryMessages?
    private var metricsDue = DispatchTime.now()
    /// Signalled when all is sent, or when the user no longer wants to wait.
    private let done = DispatchSemaphore(value: 0)

    /// The queue of spans, and the counts of what was sent, lost and dropped.
    fileprivate struct Waiting {
        var batches: [[Exchange]] = []
        var count = 0
        /// Number of spans in the message that the collector has not answered yet.
        var underway = 0
        var state: LiveState?
        var sent = 0
        var dropped = 0
        var metrics = 0
        /// Messages of metrics that were lost.
        var lostMetrics = 0
        /// The first error.
        var trouble: String?
    }

    /// Number of spans that may wait, about 30 MB.
    static let spansAtMost = 50_000
    /// Number of spans in one message, about.
    private static let spansOfMessage = 512
    private let pace: Pace
    /// Longest time, in seconds, that the end of an interrupted run waits for the last messages.
    private static let shortGrace = 2.0

    /// How often and how long the exporter tries.
    struct Pace {
        /// Seconds between messages of metrics.
        var metricsEvery = 10.0
        /// Timeout of one message.
        var patience: Duration = .seconds(5)
        /// Longest time that the end of a run waits for the last messages, in seconds.
        var grace = 10.0
    }

    /// Sends nothing before `begin`. Throws where the certificate cannot be used.
    package convenience init(_ collector: Collector, sendsSpans: Bool) throws(RunError) {
        try self.init(collector, sendsSpans: sendsSpans, Pace())
    }

    init(_ collector: Collector, sendsSpans: Bool, _ pace: Pace) throws(RunError) {
        (self.collector, self.sendsSpans, self.pace) = (collector, sendsSpans, pace)
        do throws(WireError) {
            poster = try Poster(
                timeout: pace.patience, isSecure: collector.base.origin.scheme == .https,
                ca: collector.certificate)
        } catch {
            throw .couldNotRun(
                "\(error)".replacing("tls.ca", with: "OTEL_EXPORTER_OTLP_CERTIFICATE"))
        }
    }

    deinit {
        timer?.cancel()
    }

    /// Starts sending for the run of this header.
    func begin(_ header: HistoryHeader) {
        let run = header.runID?.description ?? header.run
        var resource: [(name: String, value: String)] = [
            ("service.name", "screenrig"), ("service.version", header.version),
            ("service.instance.id", header.run), ("screenrig.rig", header.rigName),
            ("screenrig.run", header.run), ("screenrig.run.id", run),
            ("screenrig.target", header.target),
        ]
        for (name, value) in shard(of: header) + collector.attributes {
            if let place = resource.firstIndex(where: { $0.name == name }) {
                resource[place].value = value
            } else {
                resource.append((name, value))
            }
        }
        let made = TelemetryMessages(
            resource: resource, run: run, startNanoseconds: header.startedMicroseconds * 1000,
            version: header.version)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [weak self] in self?.beat() }
        queue.sync {
            messages = made
            metricsDue = nextMetrics
            self.timer = timer
        }
        timer.activate()
    }

    private func shard(of header: HistoryHeader) -> [(name: String, value: String)] {
        header.shard.map {
            [("screenrig.shard", String($0.number)), ("screenrig.shards", String($0.count))]
        } ?? []
    }

    /// A sink in front of `sink` that also queues its exchanges as spans; `sink` itself where no spans are sent.
    func before(_ sink: any HistorySink) -> any HistorySink {
        sendsSpans ? Tap(exporter: self, sink: sink) : sink
    }

    private struct Tap: HistorySink {
        let exporter: TelemetryExporter
        let sink: any HistorySink

        func append(_ batch: Batch) {
            exporter.take(batch.exchanges)
            sink.append(batch)
        }
    }

    /// On a lane's thread.
    private func take(_ exchanges: [Exchange]) {
        guard !exchanges.isEmpty else { return }
        shared.withLock { waiting in
            guard waiting.count + exchanges.count <= Self.spansAtMost else {
                waiting.dropped += exchanges.count
                return
            }
            waiting.batches.append(exchanges)
            waiting.count += exchanges.count
        }
    }

    /// Messages of metrics that were lost so far.
    var lostMetrics: Int { shared.withLock { $0.lostMetrics } }

    /// Replaces the state that the next metrics are made of. From any thread; returns at once.
    package func show(_ state: LiveState) { shared.withLock { $0.state = state } }

    /// Sends the last metrics and the waiting spans, and returns a sentence with the counts of sent, dropped
    /// and lost. Blocks for at most 10 s, or 2 s after an interruption: spans without an answer by then count as dropped.
    package func finish(wasInterrupted: Bool = false) -> String {
        let deadline =
            DispatchTime.now() + (wasInterrupted ? min(pace.grace, Self.shortGrace) : pace.grace)
        queue.async { [self] in
            assertOnQueue()
            timer?.cancel()
            sendMetrics()
            sendSpans(until: deadline)
            done.signal()
        }
        _ = done.wait(timeout: deadline)
        let waiting = shared.withLock { waiting in
            waiting.dropped += waiting.count + waiting.underway
            (waiting.batches, waiting.count) = ([], 0)
            return waiting
        }
        return sentence(waiting)
    }

    /// Ends the wait of `finish`, now or later: somebody pressed Ctrl-C twice. From any thread.
    package func giveUp() { done.signal() }

    private func sentence(_ waiting: Waiting) -> String {
        func counted(_ count: Int, _ noun: String) -> String {
            "\(count) \(noun)\(count == 1 ? "" : "s")"
        }
        let spans = sendsSpans ? "\(counted(waiting.sent, "span")) and " : ""
        let sent =
            "telemetry: sent \(spans)\(counted(waiting.metrics, "message")) of metrics to "
            + "\(collector.base.origin)"
        var lost: [String] = []
        if waiting.dropped > 0 { lost.append("dropped \(counted(waiting.dropped, "span"))") }
        if waiting.lostMetrics > 0 {
            lost.append("lost \(counted(waiting.lostMetrics, "message")) of metrics")
        }
        let why = waiting.trouble.map { "; first: \($0)" } ?? ""
        return lost.isEmpty ? sent : "\(sent); \(lost.joined(separator: ", "))\(why)"
    }

    // MARK: On the queue

    private func beat() {
        assertOnQueue()
        // No longer than a beat: a collector that is slow to take spans gets metrics all the same.
        sendSpans(until: .now() + 1)
        guard DispatchTime.now() >= metricsDue else { return }
        metricsDue = nextMetrics
        sendMetrics()
    }

    /// Half a second earlier, so that the beat which is due then is not missed.
    private var nextMetrics: DispatchTime { .now() + pace.metricsEvery - 0.5 }

    private func sendMetrics() {
        guard let messages, let state = shared.withLock({ $0.state }) else { return }
        let body = messages.metrics(state, now: WallClock.microseconds)
        let trouble = post(body, "metrics").trouble
        shared.withLock { waiting in
            if let trouble {
                waiting.lostMetrics += 1
                waiting.trouble = waiting.trouble ?? trouble
            } else {
                waiting.metrics += 1
            }
        }
    }

    private func sendSpans(until deadline: DispatchTime) {
        guard let messages else { return }
        while DispatchTime.now() < deadline {
            guard let exchanges = shared.withLock({ $0.next(Self.spansOfMessage) }) else { return }
            guard !exchanges.isEmpty else { continue }
            var (trouble, said) = (String?.none, 0)
            background.run(waiting: shared.withLock { $0.count }) {
                (trouble, said) = post(messages.spans(exchanges), "traces")
            }
            // Whatever number a collector says.
            let rejected = min(max(said, 0), exchanges.count)
            shared.withLock { waiting in
                let lost = trouble == nil || rejected > 0 ? rejected : exchanges.count
                waiting.underway = 0
                waiting.sent += exchanges.count - lost
                waiting.dropped += lost
                if let trouble { waiting.trouble = waiting.trouble ?? trouble }
            }
        }
    }

    /// Sends a message, and once more where the status allows a retry (OTLP, Failures). Returns the error, nil
    /// where there was none, and the number of spans that the collector rejected.
    private func post(_ body: [UInt8], _ signal: String) -> (trouble: String?, rejected: Int) {
        var headers = collector.headers
        headers.set("Content-Type", "application/json")
        headers.set("User-Agent", "screenrig/\(Release.version)")
        let address = collector.address(of: signal)
        var ending = poster.post(body, to: address, headers)
        if case .answered(429, _) = ending { ending = again(body, address, headers) }
        if case .answered(502...504, _) = ending { ending = again(body, address, headers) }
        switch ending {
        case .answered(200...299, let body): return partial(body)
        case .answered(let status, _):
            return ("\(address.target) was answered \(status)", 0)
        case .lost(let why): return ("\(address.target): \(why)", 0)
        }
    }

    private func again(_ body: [UInt8], _ address: WebAddress, _ headers: Headers) -> Poster.Ending
    {
        Thread.sleep(forTimeInterval: 1)
        return poster.post(body, to: address, headers)
    }

    /// Reads how many spans the collector rejected (OTLP, Partial Success).
    private func partial(_ body: [UInt8]) -> (trouble: String?, rejected: Int) {
        struct Answer: Decodable {
            struct Partial: Decodable {
                var rejectedSpans: Number?
            }
            var partialSuccess: Partial?
        }
        /// A number, or a text of one.
        struct Number: Decodable {
            var value: Int

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    value = number
                } else {
                    value = Int(try container.decode(String.self)) ?? 0
                }
            }
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(body))
        let rejected = answer?.partialSuccess?.rejectedSpans?.value ?? 0
        return (rejected > 0 ? "the collector turned down \(rejected) spans" : nil, rejected)
    }

    private func assertOnQueue() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

extension TelemetryExporter.Waiting {
    /// Takes whole batches up to about `limit` exchanges, the oldest first, without those that were never sent;
    /// nil where none wait.
    fileprivate mutating func next(_ limit: Int) -> [Exchange]? {
        guard !batches.isEmpty else { return nil }
        var taken: [Exchange] = []
        var used = 0
        for batch in batches {
            if !taken.isEmpty, taken.count + batch.count > limit { break }
            taken += batch
            used += 1
        }
        batches.removeFirst(used)
        count -= taken.count
        // A request that was never sent has no span at the server that could join it.
        taken.removeAll { $0.outcome == .notSent }
        underway = taken.count
        return taken
    }
}
