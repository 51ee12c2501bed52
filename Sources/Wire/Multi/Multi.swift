internal import CCurl

/// One libcurl multi handle, owned: transfers and the connections they leave behind.
struct Multi: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    /// Kept because closing the multi closes connections, which calls back into it.
    private let connections: ConnectionTable

    init(connections: ConnectionTable, maximumConnections: Int) throws(WireError) {
        guard Library.isReady, let handle = curl_multi_init() else { throw .noHandle }
        self.handle = handle
        self.connections = connections
        // Must exceed the live connections, or libcurl closes the oldest.
        curl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, maximumConnections)
    }

    deinit {
        // Nobody is left to hear about sockets and timers.
        curl_multi_set_callbacks(handle, nil, nil, nil)
        curl_multi_cleanup(handle)
    }

    /// `driver` must outlive the multi: it owns it.
    borrowing func report(to driver: MultiDriver) {
        curl_multi_set_callbacks(
            handle,
            { _, descriptor, what, driver, _ in
                guard let driver else { return 0 }
                Unmanaged<MultiDriver>.fromOpaque(driver).takeUnretainedValue()
                    .watch(descriptor, what)
                return 0
            },
            { _, milliseconds, driver in
                guard let driver else { return 0 }
                Unmanaged<MultiDriver>.fromOpaque(driver).takeUnretainedValue().wants(milliseconds)
                return 0
            }, Unmanaged.passUnretained(driver).toOpaque())
    }

    /// False when libcurl is out of memory.
    borrowing func add(_ easy: borrowing Easy) -> Bool {
        curl_multi_add_handle(handle, easy.handle) == CURLM_OK
    }

    borrowing func remove(_ easy: borrowing Easy) {
        curl_multi_remove_handle(handle, easy.handle)
    }

    /// `descriptor` is ready for `mask` (CURL_CSELECT_*).
    borrowing func act(on descriptor: Int32, mask: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, descriptor, mask, &running)
    }

    /// Does what is due by the clock.
    borrowing func actOnTime() {
        // CURL_SOCKET_TIMEOUT, a cast that Swift does not import.
        act(on: -1, mask: 0)
    }

    /// The private pointer of a handle that has ended; nil when there is none.
    borrowing func nextDone() -> (owner: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        guard let easy = curl_multi_next_done(handle, &code), let owner = curl_get_private(easy)
        else { return nil }
        return (owner, code)
    }
}
