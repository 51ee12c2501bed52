internal import Journal
internal import Lanes
public import Statistics

/// What a plain load measured, on one lane or on all of them.
public struct LoadFindings: Sendable {
    /// Exchanges of the measured time: answered with a status below 400, and all others.
    public private(set) var answered = 0
    public private(set) var errors = 0
    /// From when it was due to its end. In a closed loop it is due when the last answer is there.
    public private(set) var latency = Histogram()
    /// From when it was sent.
    public private(set) var service = Histogram()
    /// From when it was due, and its caller free, to when it was handed to the transport: what a rig
    /// adds. Waiting for the answer before is the service's doing, and part of `latency` only.
    public private(set) var lateness = Histogram()
    /// Connections that were open together, as far as callers know.
    public var connections = 0
    /// What went wrong first, in words.
    public private(set) var trouble: String?
    /// Exchanges per second, of each lane over its own time, all lanes together.
    public private(set) var perSecond = 0.0
    /// Processor time of the measured time, in seconds, as the load was told to read it.
    public private(set) var processor = 0.0
    private var processorBegan = Double.infinity
    private var processorEnded = 0.0

    public init() {}

    mutating func count(
        _ transfer: Transfer, due: Instant, free: Instant, begun: Instant, keeps: Bool
    ) {
        switch transfer.result {
        case .answered(let reply) where reply.status < 400: answered += 1
        case .answered(let reply): fail("status \(reply.status)")
        case .refused(let error), .lost(let error): return fail("\(error)")
        }
        guard keeps else { return }
        latency.record(transfer.ended.nanoseconds(since: due))
        service.record(transfer.ended.nanoseconds(since: transfer.sent ?? begun))
        lateness.record(begun.nanoseconds(since: max(due, free)))
    }

    /// An exchange that was recorded as in a run. Inlined, so that it is read where it is.
    @inline(__always)
    mutating func count(_ exchange: Exchange, free: Instant) {
        switch exchange.delivery {
        case .answered(let status) where status < 400: answered += 1
        case .answered(let status): fail("status \(status)")
        case .refused(let error), .unknown(let error): return fail("\(error)")
        }
        latency.record(exchange.ended.nanoseconds(since: exchange.planned))
        service.record(exchange.ended.nanoseconds(since: exchange.sent))
        lateness.record(exchange.begun.nanoseconds(since: max(exchange.planned, free)))
    }

    mutating func fail(_ words: String) {
        errors += 1
        if trouble == nil { trouble = words }
    }

    /// The time that was measured, and the processor's clock at both ends.
    mutating func close(after seconds: Double, processor began: Double, _ ended: Double) {
        perSecond = seconds > 0 ? Double(answered + errors) / seconds : 0
        (processorBegan, processorEnded) = (began, ended)
        processor = ended - began
    }

    /// Adds what another lane found at the same time.
    public mutating func merge(_ other: LoadFindings) {
        answered += other.answered
        errors += other.errors
        latency.merge(other.latency)
        service.merge(other.service)
        lateness.merge(other.lateness)
        connections += other.connections
        perSecond += other.perSecond
        if trouble == nil { trouble = other.trouble }
        processorBegan = min(processorBegan, other.processorBegan)
        processorEnded = max(processorEnded, other.processorEnded)
        processor = max(0, processorEnded - processorBegan)
    }
}
