internal import CCurl
internal import Journal
internal import Lanes

/// What waits on a connection before libcurl, which reads by itself, does so: when the last of it arrived, by the kernel's
/// stamp. What comes while libcurl reads has none, and then only the time of reading is known.
struct UnreadBytes {
    private let connection: TCPConnection
    private let reading: (began: Instant, arrived: Instant)
    /// Bytes of the connection that have come before; asked before the stamp, so that what comes between counts as later.
    private let received: Int64

    /// Nil where nothing waits, or the kernel does not say.
    init?(on connection: TCPConnection, by loop: LiveLoop) {
        received = arrival_bytes(connection.descriptor)
        let stamp = arrival_of_unread(connection.descriptor)
        guard received >= 0, stamp > 0 else { return nil }
        let stream = ByteStream(descriptor: connection.descriptor)
        let (arrived, now) = stream.arrival(stamp, by: loop)
        self.connection = connection
        reading = (began: now, arrived: arrived)
    }

    /// libcurl has read: what ends now on that connection arrived by then, if nothing has come since.
    func confirm() {
        guard arrival_bytes(connection.descriptor) == received else { return }
        connection.reading = reading
    }

    func forget() { connection.reading = nil }
}
