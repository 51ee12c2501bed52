internal import CCurl
internal import Dialects
internal import Lanes

/// One libcurl multi and the exchanges it carries. At most about 100 devices, because libcurl 7.88
/// walks all connections of a multi for each request.
final class Shard {
    private var driver: MultiDriver!
    private var deadlines: DeadlineWatch<TransferHandle>!
    private var inUse: [TransferHandle] = []

    /// Places taken.
    var deviceSlots = 0
    /// Names that libcurl may forget at the next opportunity.
    private var forgotten: [String] = []

    init(_ transport: CurlTransport, maximumConnections: Int) throws(WireError) {
        driver = try MultiDriver(
            lane: transport.lane, connections: transport.connections,
            maximumConnections: maximumConnections
        ) { [unowned self] owner, code in
            ended(Unmanaged<TransferHandle>.fromOpaque(owner).takeUnretainedValue(), code)
        }
        deadlines = DeadlineWatch(
            lane: transport.lane, timeout: transport.settings.timeout,
            of: { [unowned self] in inUse }, deadline: \.deadline,
            end: { [unowned self] in ended($0, CURLE_OPERATION_TIMEDOUT) })
    }

    // MARK: Transfers

    /// Starts the request of a handle. It has been sent, or even answered, when this returns.
    func start(_ transferHandle: TransferHandle) -> Bool {
        driver.start(transferHandle.easy) {
            transferHandle.position = inUse.count
            inUse.append(transferHandle)
            if let deadline = transferHandle.deadline { deadlines.note(deadline) }
        }
    }

    /// Ends everything in flight, or only what belongs to one slot.
    func stop(_ error: TransportError, only deviceSlot: DeviceSlot? = nil) {
        for transferHandle in inUse
        where deviceSlot == nil || transferHandle.deviceSlot === deviceSlot {
            remove(transferHandle)
            deliver(transferHandle, transferHandle.stop(error))
        }
    }

    private func ended(_ transferHandle: TransferHandle, _ code: CURLcode) {
        remove(transferHandle)
        if transferHandle.beginsAgain(), start(transferHandle) { return }
        deliver(transferHandle, transferHandle.finish(code))
    }

    private func remove(_ transferHandle: TransferHandle) {
        driver.remove(transferHandle.easy)
        let last = inUse.removeLast()
        if last !== transferHandle {
            inUse[transferHandle.position] = last
            last.position = transferHandle.position
        }
    }

    private func deliver(
        _ transferHandle: TransferHandle,
        _ end: (pendingRequest: PendingRequest, transfer: Transfer)?
    ) {
        transferHandle.leave()?.idle.append(transferHandle)
        if let (pendingRequest, transfer) = end { pendingRequest.completion(transfer) }
    }

    // MARK: Names

    /// A device is gone; its names need not be remembered.
    func forget(_ names: [String]) { forgotten += names }

    func takeForgotten() -> [String] {
        defer { forgotten = [] }
        return forgotten
    }
}
