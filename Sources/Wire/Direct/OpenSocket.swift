internal import Journal
internal import Lanes

/// The socket of a connection that TCP has made, until it is closed.
final class OpenSocket {
    /// TLS, if there is any, is added when its handshake begins.
    var stream: ByteStream
    var route: Route
    /// How it was made; nil after its first request.
    var opening: Opening?
    var isWatchedForWriting = false
    /// When its last request ended.
    private(set) var keptAt: Instant?

    var descriptor: Int32 { stream.descriptor }

    init(_ connected: Connector.Connected, began: Instant) {
        stream = ByteStream(descriptor: connected.descriptor)
        route = connected.route
        opening = Opening(began: began, connect: connected.took)
    }

    /// The TLS handshake ended at `now`.
    func secured(at now: Instant, isResumed: Bool) {
        if let opening { self.opening?.tls = (now - opening.began) - opening.connect }
        route.tlsResumed = isResumed
    }

    /// Its first request has ended, and it stays open for others.
    func keep(at now: Instant) {
        keptAt = now
        opening = nil
        route.reused = true
    }
}
