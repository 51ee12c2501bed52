public import Dialects
internal import Journal

/// A request that a flow holds at the gate: all but its last byte has left, where
/// the transport can do that. Belongs to its lane.
public final class HeldCall {
    /// False when the whole request waits, not the last byte alone.
    public var isExact: Bool { held?.isExact ?? false }
    /// It has ended without having been let go: the connection could not be made, say.
    public var isOver: Bool { transfer != nil && released == nil }

    let call: Call
    let device: Device
    let sequence: Int
    /// When it was held.
    let begun: Instant
    var held: Held?
    /// When it was let go.
    var released: Instant?
    var transfer: Transfer?
    /// Waits for the transfer.
    var waiter: UnsafeContinuation<Transfer, Never>?

    init(_ call: Call, from device: Device, sequence: Int, begun: Instant) {
        self.call = call
        self.device = device
        self.sequence = sequence
        self.begun = begun
    }

    func end(_ transfer: Transfer) {
        self.transfer = transfer
        waiter?.resume(returning: transfer)
        waiter = nil
    }
}

/// Races are decided by last bytes: a service cannot act on a request before it has all of it, so the
/// bytes that take time, connections and handshakes among them, go ahead, and what is released at an
/// instant is one byte of each.
///
/// ```
///   hold(a) ....------------.               release([a, b])
///   hold(b) ......----------.                 |a|b|
///                 all but the last bytes      last bytes, microseconds apart
/// ```
extension Lane {
    /// Sends a request but for its last byte; returns when that byte is all that is missing, or the
    /// exchange has failed. Each one that was held must be released, or its answer never comes.
    public func hold(_ call: Call, from device: Device) async -> HeldCall {
        if departures != nil, !hasStopped { _ = await wait(toSend: call, from: device) }
        let sequence = device.counter.next()
        var dressed = call
        exchangeBuilder.dress(&dressed, from: device, sequence: sequence)
        let held = HeldCall(dressed, from: device, sequence: sequence, begun: now)
        guard !hasStopped else {
            held.end(stopped())
            return held
        }
        await withUnsafeContinuation { flow in
            transport.hold(dressed, from: device) { gate in
                held.held = gate
                flow.resume()
            } completion: {
                held.end($0)
            }
        }
        return held
    }

    /// Lets them all go, in this order, within one turn: nothing else of this lane comes between.
    public func release(_ held: [HeldCall]) {
        let now = now
        for one in held where one.transfer == nil && one.released == nil { one.released = now }
        guard !hasStopped else {
            for one in held where one.transfer == nil { one.end(stopped()) }
            return
        }
        transport.release(held.compactMap { $0.transfer == nil ? $0.held : nil })
    }

    /// What became of one that was released, or that failed before. Once for each. Planned is the
    /// instant of its release.
    public func answer(to held: HeldCall) async -> Answered {
        let transfer =
            if let known = held.transfer {
                known
            } else {
                await withUnsafeContinuation { held.waiter = $0 }
            }
        let planned = held.released ?? held.begun
        return record(
            transfer, of: held.call, from: held.device, sequence: held.sequence, planned: planned,
            begun: planned)
    }

    private func stopped() -> Transfer {
        let error = TransportError(.stopped, "the run was stopped before this was sent")
        return Transfer(sent: nil, firstByte: nil, ended: now, result: .refused(error))
    }
}
