internal import CCurl
internal import Dialects
internal import Journal
internal import Lanes

/// The end of a request, how its failure is reported, and the end of the connection.
extension Connection {
    func fail(_ fault: LineFault, systemError: Int32 = 0) {
        finish(failure(fault, systemError: systemError).result)
    }

    /// Ends the request in flight. The connection is closed unless it `keeps`.
    func finish(_ result: Transfer.Result, keeps: Bool = false, at now: Instant? = nil) {
        guard let request else { return }
        let now = now ?? engine.now
        let (route, opening) = (socket?.route ?? Route(), socket?.opening)
        if keeps, let socket, engine.settings.connections != .fresh {
            socket.keep(at: now)
            state = .idle(socket)
            home.idle.add(self)
        } else {
            close()
        }
        end(request, result, over: route, opened: opening, at: now)
    }

    func end(
        _ request: InFlightRequest, _ result: Transfer.Result, over route: Route = Route(),
        opened: Opening? = nil, at now: Instant? = nil
    ) {
        let transfer = Transfer(
            sent: request.sent, firstByte: request.reader?.firstByte, ended: now ?? engine.now,
            result: result, route: route, bytesReceived: request.reader?.parser.bodyBytes ?? 0,
            opened: opened)
        let (gate, completion) = (request.gate, request.completion)
        engine.takeBack(request)
        // It ended before it reached the gate.
        gate?.open(nil)
        completion(transfer)
    }

    /// The request, or the attempt to connect, has timed out.
    func expire() { fail(LineFault(CURLE_OPERATION_TIMEDOUT, "")) }

    /// Ends the request in flight. Without one, the connection is closed if it `closes`.
    func stop(_ error: TransportError, closes: Bool) {
        if let request {
            finish(request.sent != nil ? .lost(error) : .refused(error))
        } else if closes {
            home.idle.remove(self)
            close()
        }
    }

    // MARK: The end of the connection

    /// Gives up the attempt to connect, or closes the socket.
    func close() {
        switch state {
        case .closed: return
        case .connecting(let connector, _, _): connector.giveUp()
        case .securing(let socket, _, _), .busy(let socket, _), .idle(let socket): close(socket)
        }
        state = .closed
        home.open.remove(self)
        engine.links.remove(self)
    }

    private func close(_ socket: OpenSocket) {
        socket.stream.tls?.close()
        engine.connections.close(socket.descriptor)
    }

    /// The lane is gone, and its loop runs no more.
    func abandon() {
        if let socket { close(socket) }
        state = .closed
    }

    // MARK: Failures

    private func failure(_ fault: LineFault, systemError: Int32 = 0) -> TransferFailure {
        let isReused = socket?.route.reused == true
        let hasSent = request?.sent != nil
        let hasResponse = request?.reader.map { $0.parser.messagesBegun > 0 } ?? false
        var (isConnecting, isSecuring) = (false, false)
        switch state {
        case .connecting: isConnecting = true
        case .securing: isSecuring = true
        case .closed, .busy, .idle: break
        }
        return TransferFailure(
            code: fault.code, words: fault.words, systemError: systemError, origin: home.origin,
            pinned: proxy == nil ? engine.settings.pin(of: home.origin, among: addresses) : nil,
            proxy: proxy?.shown, timeout: engine.settings.timeout, excess: nil,
            responseLimit: engine.settings.responseLimit, hasSent: hasSent,
            isSecuring: isSecuring,
            wouldRepeat: isReused && hasSent && !hasResponse
                && fault.code != CURLE_OPERATION_TIMEDOUT,
            usesTLSFiles: engine.settings.tls.certificate != nil,
            hasOwnRoots: engine.settings.tls.ca != nil, isFirstUse: !isReused,
            idle: request?.sent.flatMap { sent in socket?.keptAt.map { sent - $0 } },
            waited: request?.sent.map { engine.now - $0 },
            speaker: isConnecting ? "libcurl" : isTLS ? "libssl" : "system")
    }

    func failure(_ fault: ResponseFault) -> Transfer.Result {
        var failure = failure(LineFault(fault.code, ""))
        failure.fault = fault
        failure.excess = fault.excess
        if fault != .unanswered { failure.wouldRepeat = false }
        return failure.result
    }
}
