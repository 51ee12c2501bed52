internal import CCurl
internal import Dialects
internal import Glibc
internal import Lanes

/// The facts about a transfer that brought no reply, and the error that they amount to: what was
/// reached, what went wrong, what would help, and libcurl's own words.
struct TransferFailure {
    var code: CURLcode
    /// libcurl's words; may be empty.
    var words: String
    var systemError: Int32
    var origin: Origin
    /// The one of target.resolve that it was to go to; nil: the name's own, or a proxy's.
    var pinned: IPAddress?
    /// URL of the proxy it went through, without its user.
    var proxy: String?
    var timeout: Duration
    var excess: ReplyReader.Excess?
    var responseLimit: Int
    /// A byte of the request has left.
    var hasSent: Bool
    /// The connection stood, and its TLS handshake was under way.
    var isSecuring = false
    /// It ended without a byte of a response, and libcurl was about to send the request a second time.
    var wouldRepeat: Bool
    /// The service says that it has not begun with it (RFC 9113, 6.8 and 8.7).
    var isStreamRefused = false
    /// Nothing of a response came over its kept connection of HTTP/2.
    var isHTTP2Unanswered = false
    var usesTLSFiles: Bool
    /// `tls.ca` is set.
    var hasOwnRoots = false
    /// The connection had answered nothing before.
    var isFirstUse: Bool
    /// How long its connection had carried nothing before it; nil: not known.
    var idle: Duration?
    /// From its sending to this; nil: not known.
    var waited: Duration?
    /// Whose words these are.
    var speaker = "libcurl"
    /// What is wrong with the answer, where we read it ourselves.
    var fault: ResponseFault?

    /// Servers and load balancers keep an idle connection at least that long.
    private static let shortestKeepAlive = Duration.seconds(1)

    var result: Transfer.Result { hasSent ? .lost(error) : .refused(error) }

    private var place: String {
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        return "\(host):\(origin.port)"
    }

    var error: TransportError {
        if isStreamRefused {
            return TransportError(
                .connectionLost, "\(place) refused the HTTP/2 stream (REFUSED_STREAM or GOAWAY)")
        }
        if isHTTP2Unanswered, isEndOfConnection {
            return TransportError(
                .staleConnection,
                "\(place) closed a kept HTTP/2 connection (GOAWAY, or without a word) instead of answering"
            )
        }
        if wouldRepeat {
            let closed = "\(place) closed a kept connection instead of answering"
            if let idle, idle + (waited ?? .zero) < Self.shortestKeepAlive {
                return TransportError(
                    .staleConnection,
                    "\(closed), within a second of its last answer: too soon for a keep-alive timeout"
                )
            }
            if let waited, waited > Transfer.longestRoundTrip {
                return TransportError(
                    .staleConnection,
                    "\(closed), more than 250 ms after the request was sent: too late for a keep-alive timeout"
                )
            }
            return TransportError(
                .staleConnection,
                "\(closed): likely its keep-alive "
                    + "timeout, or its load balancer's; make it longer than the pauses between "
                    + "requests of a device (polling.every)")
        }
        switch excess {
        case .body:
            return TransportError(
                .tooLarge,
                "the answer of \(place) is longer than \(responseLimit) bytes "
                    + "(target.response-limit)")
        case .head:
            return TransportError(
                .tooLarge,
                "the answer of \(place) has more than \(ReplyReader.headLimit) bytes of headers")
        case .line:
            return TransportError(
                .tooLarge,
                "the answer of \(place) has a header line of more than \(ReplyReader.lineLimit) bytes"
            )
        case nil: break
        }
        let (kind, sentence) = diagnosis
        if let fault { return TransportError(kind, "\(sentence) (\(fault))") }
        let said = words.isEmpty ? String(cString: curl_easy_strerror(code)) : Self.timeless(words)
        return TransportError(kind, "\(sentence) (\(speaker): \(said))")
    }

    /// By libcurl's code, and where the end of a connection and that of one stream have the same, by its words.
    private var isEndOfConnection: Bool {
        switch code {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: true
        case CURLE_HTTP2: !words.contains("SETTINGS frame")
        case CURLE_HTTP2_STREAM: words.contains("end of the underlying stream")
        default: false
        }
    }

    /// A sentence of libcurl without " after 7 ms": one cause is one line of a report, however long each of
    /// its requests took.
    static func timeless(_ words: String) -> String {
        guard let after = words.firstRange(of: " after ") else { return words }
        let rest = words[after.upperBound...].drop(while: \.isNumber)
        guard let unit = [" milliseconds", " ms"].first(where: rest.hasPrefix) else { return words }
        return String(words[..<after.lowerBound] + rest.dropFirst(unit.count))
    }

    private var diagnosis: (TransportError.Kind, String) {
        if [EMFILE, ENFILE].contains(systemError) {
            return (.localLimit, "no descriptors left for \(place); raise 'ulimit -n'")
        }
        if systemError == EADDRNOTAVAIL {
            return (
                .localLimit,
                "no local port left for \(place); keep connections, or use more source addresses"
            )
        }
        switch code {
        case CURLE_COULDNT_CONNECT: return unconnected
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return (.proxy, atProxy)
        case CURLE_COULDNT_RESOLVE_HOST:
            return (.nameNotResolved, "\(origin.host) has no address")
        case CURLE_OPERATION_TIMEDOUT: return late
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            return (.tls, secured)
        case CURLE_OUT_OF_MEMORY where !words.contains("header"):
            return (.localLimit, "no memory left for \(place)")
        // What was to speak HTTP/2 and does not is told by its first frame; anything else is an end.
        case CURLE_HTTP2 where !words.contains("SETTINGS frame"), CURLE_HTTP2_STREAM:
            return (
                .connectionLost,
                "\(place) ended the HTTP/2 stream before the response was "
                    + "complete"
            )
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2,
            CURLE_BAD_CONTENT_ENCODING, CURLE_OUT_OF_MEMORY:
            return (.notHTTP, garbled)
        case CURLE_URL_MALFORMAT:
            return (.connectFailed, "'\(origin)' is not a reachable address")
        default: return broken
        }
    }

    private var unconnected: (TransportError.Kind, String) {
        if proxy != nil { return (.proxy, atProxy) }
        guard systemError == ECONNREFUSED || words.contains("refused") else {
            return (.connectFailed, "no connection to \(end)")
        }
        let key = pinned == nil ? "target.base" : "target.resolve"
        return (
            .connectionRefused, "nothing listens on \(end); start the service or correct \(key)"
        )
    }

    /// Where a connection was to lead.
    private var end: String {
        guard let pinned else { return place }
        return "\(pinned.bracketed):\(origin.port) (target.resolve of \(origin.host))"
    }

    private var atProxy: String {
        if words.contains("response 407") {
            return "the proxy \(proxy ?? "") wants credentials (407); set user and password in "
                + "target.proxy: http://USER:${PROXY_PASSWORD}@HOST:PORT"
        }
        return "the proxy \(proxy ?? "") does not lead to \(place); correct target.proxy"
    }

    private var late: (TransportError.Kind, String) {
        let limit = "\(timeout.milliseconds) ms (target.timeout)"
        if isSecuring, !hasSent {
            return (
                .timeout,
                "\(place) accepted the connection and did not answer the TLS handshake within \(limit)"
            )
        }
        return hasSent
            ? (.timeout, "no complete answer from \(place) within \(limit)")
            : (.timeout, "no connection to \(end) within \(limit)")
    }

    /// Remedies by the words of OpenSSL, which come through libcurl.
    private var secured: String {
        let unknownCA =
            "shows a certificate of an unknown CA"
            + (hasOwnRoots ? "; none in the file of tls.ca has signed it" : "; set tls.ca")
        let remedies: [(words: String, remedy: String)] = [
            ("wrong version number", "does not speak TLS; use http:// or another port"),
            ("unable to get local issuer", unknownCA), ("self-signed certificate", unknownCA),
            ("self signed certificate", unknownCA),
            ("has expired", "shows an expired certificate; renew it or set tls.verify: false"),
            ("not yet valid", "shows a certificate of the future; compare the clocks"),
            (
                "no alternative certificate subject name",
                "shows a certificate for another name; correct target.base"
            ),
            ("does not match target host", "shows a certificate for another name"),
            (
                "hostname mismatch",
                "shows a certificate for another name; correct target.base"
            ),
            ("IP address mismatch", "shows a certificate for another name; correct target.base"),
            (
                "certificate required",
                "wants a client certificate; set tls.certificate and tls.key"
            ),
            (
                "unsupported protocol",
                "speaks only older TLS than tls.minimum; lower that, or have the server speak a newer one"
            ),
            (
                "protocol version",
                "speaks only older TLS than tls.minimum; lower that, or have the server speak a newer one"
            ),
        ]
        if let found = remedies.first(where: { words.contains($0.words) }) {
            return "\(place) \(found.remedy)"
        }
        return usesTLSFiles && code == CURLE_SSL_CERTPROBLEM
            ? "tls.certificate and tls.key do not fit together"
            : "no TLS with \(place)"
    }

    private var garbled: String {
        let remedy = origin.scheme == .http ? "; \(TransportError.remedyForNoHTTP(at: place))" : ""
        return "the answer of \(place) is not HTTP\(remedy)"
    }

    /// Broken connections, and the answers that libcurl reports as such.
    private var broken: (TransportError.Kind, String) {
        if proxy != nil, !hasSent { return (.proxy, atProxy) }
        // TLS 1.3: a server that wants a certificate says so after the handshake has ended for us.
        if words.contains("certificate required") || words.contains("alert") {
            return (.tls, secured)
        }
        if words.contains("chunk") { return (.notHTTP, garbled) }
        switch code {
        case CURLE_GOT_NOTHING:
            let hint =
                origin.scheme == .http && isFirstUse ? "; if it speaks TLS, use https://" : ""
            return (.connectionLost, "\(place) closed the connection without an answer\(hint)")
        case CURLE_PARTIAL_FILE where fault == .noCloseNotify:
            return (.connectionLost, "the answer of \(place) may be cut off")
        case CURLE_PARTIAL_FILE:
            return (.connectionLost, "\(place) closed the connection within its answer")
        default: return (.connectionLost, "the connection to \(place) broke")
        }
    }

    // MARK: Before libcurl

    static func noName(_ host: String, _ failure: Resolver.Failure, isProxy: Bool) -> TransportError
    {
        isProxy
            ? TransportError(
                .proxy, "the proxy \(host) has no address (\(failure)); correct target.proxy")
            : TransportError(
                .nameNotResolved,
                "\(host) has no address (\(failure)); correct the name or /etc/hosts")
    }

    static func slowName(_ host: String, after timeout: Duration) -> TransportError {
        TransportError(
            .timeout,
            "the address of \(host) was not found within \(timeout.milliseconds) ms "
                + "(target.timeout)")
    }
}

extension ResponseFault {
    /// What libcurl would have called it.
    var code: CURLcode {
        switch self {
        case .unanswered: CURLE_GOT_NOTHING
        case .cutOff, .noCloseNotify: CURLE_PARTIAL_FILE
        default: CURLE_WEIRD_SERVER_REPLY
        }
    }

    /// What there was too much of, if that is the trouble.
    var excess: ReplyReader.Excess? {
        switch self {
        case .headTooLong: .head
        case .bodyTooLong: .body
        default: nil
        }
    }
}
