internal import Journal

/// One attempt of a libcurl handle to send a request and receive its response. A request that met a
/// useless connection gets a second attempt.
final class TransferAttempt {
    let pendingRequest: PendingRequest
    let deviceSlot: DeviceSlot
    let way: OriginRoute
    let proxy: ProxyRoute.Proxy?
    let addresses: [IPAddress]
    let began: Instant
    /// It continues on the connection of prior knowledge that its handle opened.
    let continuesOwn: Bool

    /// What libcurl opened last for it.
    var opened: TCPConnection?
    /// The system's error where no socket could be opened.
    var openFailure: Int32 = 0

    /// A request on the connection that libcurl chose for it.
    struct Sending {
        /// Taken before libcurl began to send.
        var sent: Instant
        var connection: TCPConnection?
        /// The connection had carried requests before.
        var isReused: Bool
        /// Bytes that libcurl had sent before the request itself (`CONNECT` to a proxy).
        var bytesBefore: Int
    }
    /// Nil until the connection is established.
    var sending: Sending?

    /// Why libcurl was not allowed to send.
    enum StopCause {
        /// It would have sent the request a second time.
        case wouldRepeat
        /// The connection to continue on was gone.
        case lostOwn
        /// The kept connection had ended, or held bytes that belong to no request.
        case staleConnection
    }
    var stopCause: StopCause?

    var firstByte: Instant?

    init(
        _ pendingRequest: PendingRequest, of deviceSlot: DeviceSlot, over way: OriginRoute,
        through proxy: ProxyRoute.Proxy?, to addresses: [IPAddress], began: Instant,
        continuesOwn: Bool
    ) {
        self.pendingRequest = pendingRequest
        self.deviceSlot = deviceSlot
        self.way = way
        self.proxy = proxy
        self.addresses = addresses
        self.began = began
        self.continuesOwn = continuesOwn
    }

    var isTLS: Bool { way.origin.scheme == .https }
    var isReused: Bool { sending?.isReused ?? false }
}
