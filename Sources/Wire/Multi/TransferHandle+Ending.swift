internal import CCurl
internal import Dialects
internal import Journal
internal import Lanes

/// How a request ended.
extension TransferHandle {
    /// As libcurl says; nil when there was no request.
    func finish(_ code: CURLcode) -> (pendingRequest: PendingRequest, transfer: Transfer)? {
        guard let attempt else { return nil }
        let (isCut, isOfProxy) = (isCut(attempt), isOfProxy(attempt))
        if code == CURLE_OK, reader.hasHead, !isCut, !isOfProxy {
            return end(attempt, .answered(reader.takeReply()))
        }
        let settings = transport.settings
        let hasLeft = hasLeft(attempt)
        var failure = TransferFailure(
            code: code == CURLE_OK ? CURLE_PARTIAL_FILE : code, words: shownWords(attempt),
            systemError: attempt.openFailure != 0
                ? attempt.openFailure : Int32(easy.number(CURLINFO_OS_ERRNO)),
            origin: attempt.pendingRequest.origin,
            pinned: attempt.proxy == nil
                ? settings.pin(of: attempt.pendingRequest.origin, among: attempt.addresses) : nil,
            proxy: attempt.proxy?.shown,
            timeout: settings.timeout, excess: reader.excess,
            responseLimit: settings.responseLimit, hasSent: hasLeft,
            isSecuring: isSecuring(attempt), wouldRepeat: attempt.stopCause == .wouldRepeat,
            usesTLSFiles: settings.tls.certificate != nil, hasOwnRoots: settings.tls.ca != nil,
            isFirstUse: !attempt.isReused)
        let isUnprocessed = isStreamRefused(attempt, code)
        failure.isStreamRefused = isUnprocessed
        failure.isHTTP2Unanswered = attempt.isReused && isUnanswered(attempt)
        failure.waited = attempt.sending.map { transport.lane.now - $0.sent }
        failure.idle = attempt.sending.flatMap { sending in
            sending.connection?.keptAt.map { sending.sent - $0 }
        }
        if code == CURLE_OK, isOfProxy {
            // The service has not seen it.
            (failure.code, failure.words, failure.hasSent) = (CURLE_PROXY, "response 407", false)
        } else if code == CURLE_OK, isCut {
            failure.fault = .noCloseNotify
        } else if code == CURLE_OUT_OF_MEMORY, hasLeft, !reader.hasHead {
            // libcurl reports a line without an end this way. If memory had run out, the process
            // would have ended.
            failure.excess = .line
        }
        return end(attempt, failure.result, isUnprocessed: isUnprocessed)
    }

    /// Without waiting for libcurl; the shard has taken it out of the multi.
    func stop(_ error: TransportError) -> (pendingRequest: PendingRequest, transfer: Transfer)? {
        guard let attempt else { return nil }
        return end(attempt, hasLeft(attempt) ? .lost(error) : .refused(error))
    }

    private func end(
        _ attempt: TransferAttempt, _ result: Transfer.Result, isUnprocessed: Bool = false
    ) -> (PendingRequest, Transfer) {
        let connection = attempt.sending?.connection
        let isReused = attempt.isReused
        let route = Route(
            connection: connection?.number ?? 0, reused: isReused, local: connection?.local ?? "",
            remote: connection?.remote ?? "", httpVersion: hasVersion2 ? "2" : "1.1",
            tlsResumed: connection?.isResumed)
        var (firstByte, ended) = (attempt.firstByte, transport.lane.now)
        if case .answered = result, let reading = connection?.reading,
            let sent = attempt.sending?.sent
        {
            if let first = firstByte, first >= reading.began {
                firstByte = max(reading.arrived, sent)
            }
            ended = max(reading.arrived, firstByte ?? sent, sent)
        }
        let transfer = Transfer(
            sent: hasLeft(attempt) ? attempt.sending?.sent : nil, firstByte: firstByte,
            ended: ended, result: result, route: route, bytesReceived: reader.bytes,
            opened: connection == nil || isReused ? nil : opening(attempt),
            isUnprocessed: isUnprocessed)
        connection?.keptAt = transfer.ended
        if hasVersion2, !isReused, !attempt.isTLS { own = connection }
        return (attempt.pendingRequest, transfer)
    }

    /// The service refused the stream (RFC 9113, 6.8 and 8.7): by RST_STREAM, where libcurl would send it again though its
    /// connection had not ended, or by GOAWAY, of which libcurl 7.88 has no words. A broken frame has some.
    private func isStreamRefused(_ attempt: TransferAttempt, _ code: CURLcode) -> Bool {
        guard isUnanswered(attempt), let connection = attempt.sending?.connection else {
            return false
        }
        return attempt.stopCause == .wouldRepeat
            ? !attempt.isReused || !connection.isEnded
            : code == CURLE_HTTP2 && shownWords(attempt).isEmpty
    }

    /// Nothing of a response came over its connection of HTTP/2.
    private func isUnanswered(_ attempt: TransferAttempt) -> Bool {
        attempt.firstByte == nil && attempt.sending?.connection?.speaksHTTP2 == true
    }

    /// By libcurl's own clock, which is right about connections.
    private func opening(_ attempt: TransferAttempt) -> Opening {
        let connected = easy.duration(CURLINFO_CONNECT_TIME_T)
        return Opening(
            began: attempt.began,
            connect: connected - easy.duration(CURLINFO_NAMELOOKUP_TIME_T),
            tls: attempt.isTLS ? easy.duration(CURLINFO_APPCONNECT_TIME_T) - connected : nil)
    }

    private var hasVersion2: Bool {
        easy.number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
    }

    /// Whether the response ends where the connection did, without close_notify: whoever can break
    /// connections could have cut it (RFC 9112, 9.8).
    private func isCut(_ attempt: TransferAttempt) -> Bool {
        attempt.isTLS && !hasVersion2 && reader.endsWithConnection
            && attempt.sending?.connection?.saidFarewell == false
    }

    /// Whether the response is a proxy's own: only a proxy asks for its credentials by 407 (RFC 9110,
    /// 15.5.8).
    private func isOfProxy(_ attempt: TransferAttempt) -> Bool {
        reader.status == 407 && attempt.proxy?.isTunnel == false && !attempt.isTLS
    }

    /// Whether a byte of the request has left: after the connection was established, and libcurl
    /// counted more than before.
    func hasLeft(_ attempt: TransferAttempt) -> Bool {
        attempt.sending.map { easy.number(CURLINFO_REQUEST_SIZE) > $0.bytesBefore } ?? false
    }

    /// Whether libcurl had a connection of its own for this request, and was waiting for TLS on it.
    private func isSecuring(_ attempt: TransferAttempt) -> Bool {
        !attempt.isReused && attempt.isTLS && attempt.proxy == nil
            && attempt.opened?.hadPeer == true
            && easy.duration(CURLINFO_APPCONNECT_TIME_T) == .zero
    }

    /// libcurl's own words, with the real name for the alias.
    private func shownWords(_ attempt: TransferAttempt) -> String {
        let said = String(cString: words)
        guard let alias = attempt.way.alias else { return said }
        return said.replacing(alias, with: attempt.pendingRequest.origin.host)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up: libcurl's unit.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000
            + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
