internal import CCurl
internal import Glibc
internal import Journal
internal import Lanes

/// One TCP connection, from the opening of its descriptor to its closing.
final class TCPConnection {
    /// Unique in the run.
    let number: Int
    let descriptor: Int32
    /// Whose it is; nil when it is anybody's.
    weak var deviceSlot: DeviceSlot?
    /// libcurl made it, and has nothing to do with it any more.
    fileprivate var isTakenOver = false
    /// Requests sent over it.
    var uses = 0
    /// When its last request ended.
    var keptAt: Instant?
    /// Whether its TLS session was resumed; nil without TLS.
    var isResumed: Bool?
    /// Its last answer came by HTTP/2.
    var speaksHTTP2 = false
    /// Over TLS the server has said that it sends no more (close_notify).
    var saidFarewell = false
    /// TCP had connected when it was closed: where nothing was sent over it, TLS was what it waited for.
    fileprivate(set) var hadPeer = false
    /// Whether the other side had ended it when it was closed; nil before that.
    private var hadEnded: Bool?
    /// Whether the other side has ended it, or had when it was closed here.
    var isEnded: Bool {
        saidFarewell || hadEnded ?? ByteStream(descriptor: descriptor).hasEnded
    }
    fileprivate(set) var ends: Ends?
    /// What libcurl has just read from it began to be read then, and had arrived then; nil where that is not known.
    var reading: (began: Instant, arrived: Instant)?
    /// `127.0.0.1:40312`.
    private(set) var local = ""
    private(set) var remote = ""

    /// Both ends, folded: what tells live connections apart.
    struct Ends: Hashable {
        fileprivate var fold: UInt64
    }

    fileprivate init(number: Int, descriptor: Int32, deviceSlot: DeviceSlot?) {
        self.number = number
        self.descriptor = descriptor
        self.deviceSlot = deviceSlot
    }

    fileprivate func settle(_ ends: Ends, local: String, remote: String) {
        self.ends = ends
        self.local = local
        self.remote = remote
    }

    fileprivate func noteClosing() {
        hadPeer = hasPeer
        hadEnded = ByteStream(descriptor: descriptor).hasEnded
    }

    /// The local port, by the kernel; nil before the connection is bound.
    fileprivate var localPort: Int? {
        // The port stands at the same place in both families.
        end(by: getsockname).map { address in
            withUnsafeBytes(of: address) { Int($0[2]) << 8 | Int($0[3]) }
        }
    }

    /// Whether TCP has connected, by the kernel.
    fileprivate var hasPeer: Bool { end(by: getpeername) != nil }

    private func end(
        by ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> sockaddr_storage? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
        }
        return code == 0 ? address : nil
    }
}

/// Every descriptor that libcurl opened on one lane. libcurl names connections by their ends only;
/// their identity is kept here.
final class ConnectionTable {
    private let lane: Int
    private let loop: LiveLoop
    private var count = 0
    private var byDescriptor: [TCPConnection?] = []
    private var byEnds: [TCPConnection.Ends: TCPConnection] = [:]
    private var unsettled: [TCPConnection] = []
    /// What each descriptor is registered for with epoll (CURL_POLL_*); 0 when it is not.
    private var registered: [UInt8] = []
    /// What libcurl wants of it now; 0 when it has put the connection away.
    private var wanted: [UInt8] = []

    /// Never closed.
    private static let stampKeeper = arrival_keep()

    init(lane: Int, loop: LiveLoop) {
        self.lane = lane
        self.loop = loop
        _ = Self.stampKeeper
    }

    /// Open connections.
    private(set) var live = 0
    var descriptors: [Int32] { byDescriptor.compactMap { $0?.descriptor } }

    /// A socket for libcurl; nil when the process has none left (errno says why).
    /// `isNamed`: libcurl will name it by its ends only (`connection(local:…)`).
    func open(_ address: curl_sockaddr, for deviceSlot: DeviceSlot?, isNamed: Bool = true)
        -> TCPConnection?
    {
        let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, address.protocol)
        guard descriptor >= 0 else { return nil }
        arrival_note(descriptor)
        count += 1
        live += 1
        // 2^24 lanes are enough, and so are 2^40 connections of each.
        let connection = TCPConnection(
            number: lane << 40 | count, descriptor: descriptor, deviceSlot: deviceSlot)
        while byDescriptor.count <= Int(descriptor) { byDescriptor.append(nil) }
        byDescriptor[Int(descriptor)] = connection
        if isNamed { unsettled.append(connection) }
        deviceSlot?.connections.append(connection)
        return connection
    }

    /// A connection that libcurl is about to close stays open: its descriptor is the caller's from
    /// now on, who ends it with `close`.
    func takeOver(_ descriptor: Int32) { self[descriptor]?.isTakenOver = true }

    /// libcurl is done with a descriptor.
    private func libcurlCloses(_ descriptor: Int32) {
        guard self[descriptor]?.isTakenOver == true else { return close(descriptor) }
        if isInUse(descriptor) { wanted[Int(descriptor)] = 0 }
        if Int(descriptor) < registered.count { registered[Int(descriptor)] = 0 }
    }

    /// Closes a connection.
    func close(_ descriptor: Int32) {
        if let connection = self[descriptor] {
            connection.noteClosing()
            live -= 1
            byDescriptor[Int(descriptor)] = nil
            if let ends = connection.ends { byEnds[ends] = nil }
            unsettled.removeAll { $0 === connection }
            connection.deviceSlot?.connections.removeAll { $0 === connection }
        }
        if isInUse(descriptor) { wanted[Int(descriptor)] = 0 }
        if Int(descriptor) < registered.count { registered[Int(descriptor)] = 0 }
        loop.forget(descriptor)
        Glibc.close(descriptor)
    }

    /// The connection between these ends, which a request is about to use. The first time, it is
    /// `opened` by the same handle, or one of those that have not been used: asking the kernel about
    /// all of them would be dear while thousands of devices connect.
    func connection(
        local: UnsafePointer<CChar>, _ localPort: Int, remote: UnsafePointer<CChar>,
        _ remotePort: Int, opened: TCPConnection?
    ) -> TCPConnection? {
        var fold: UInt64 = 0xcbf2_9ce4_8422_2325
        Self.fold(local, localPort, into: &fold)
        Self.fold(remote, remotePort, into: &fold)
        let ends = TCPConnection.Ends(fold: fold)
        if let known = byEnds[ends] { return known }
        let isOpened = opened?.ends == nil && opened?.localPort == localPort
        let found = isOpened ? opened : unsettled.first { $0.localPort == localPort }
        guard let connection = found else { return nil }
        unsettled.removeAll { $0 === connection }
        connection.settle(
            ends, local: Self.text(local, localPort), remote: Self.text(remote, remotePort))
        byEnds[ends] = connection
        return connection
    }

    // MARK: Readiness

    /// Registers lazily: a descriptor that libcurl has put away stays with epoll, because the next
    /// request will want it again. Worth 3.6 us a request.
    func watch(_ descriptor: Int32, _ what: Int32, by driver: MultiDriver) {
        let index = Int(descriptor)
        while registered.count <= index {
            registered.append(0)
            wanted.append(0)
        }
        wanted[index] = what == CURL_POLL_REMOVE ? 0 : UInt8(what)
        if what == CURL_POLL_REMOVE {
            // Not one of ours: libcurl closes it without telling us, so it cannot stay.
            if self[descriptor] == nil { unwatch(descriptor) }
            return
        }
        guard registered[index] != UInt8(what) else { return }
        registered[index] = UInt8(what)
        var events: Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        loop.watch(descriptor, for: events, by: driver)
    }

    /// What waits on a connection that libcurl is about to read; nil where nothing does, or nothing is known of it.
    func unread(_ descriptor: Int32) -> UnreadBytes? {
        self[descriptor].flatMap { UnreadBytes(on: $0, by: loop) }
    }

    /// Whether a transfer waits for this descriptor.
    func isInUse(_ descriptor: Int32) -> Bool {
        Int(descriptor) < wanted.count && wanted[Int(descriptor)] != 0
    }

    /// Stops watching: something happened on a connection that nobody uses now, and would be
    /// reported for ever.
    func unwatch(_ descriptor: Int32) {
        guard Int(descriptor) < registered.count, registered[Int(descriptor)] != 0 else { return }
        registered[Int(descriptor)] = 0
        loop.unwatch(descriptor)
    }

    subscript(descriptor: Int32) -> TCPConnection? {
        Int(descriptor) < byDescriptor.count ? byDescriptor[Int(descriptor)] : nil
    }

    /// FNV-1a.
    private static func fold(
        _ address: UnsafePointer<CChar>, _ port: Int, into fold: inout UInt64
    ) {
        var next = address
        while next.pointee != 0 {
            fold = (fold ^ UInt64(UInt8(bitPattern: next.pointee))) &* 0x100_0000_01b3
            next += 1
        }
        fold = (fold ^ UInt64(port | 1 << 20)) &* 0x100_0000_01b3
    }

    /// libcurl says when it closes a descriptor of `easy`.
    func hearClosing(of easy: borrowing Easy) {
        // Safe because every multi, which closes what is left, keeps the table.
        curl_set_close_socket_callback(
            easy.handle,
            { table, descriptor in
                guard let table else { return 0 }
                Unmanaged<ConnectionTable>.fromOpaque(table).takeUnretainedValue()
                    .libcurlCloses(descriptor)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func text(_ address: UnsafePointer<CChar>, _ port: Int) -> String {
        let text = String(cString: address)
        return text.contains(":") ? "[\(text)]:\(port)" : "\(text):\(port)"
    }
}
