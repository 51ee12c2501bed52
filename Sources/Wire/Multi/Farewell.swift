internal import CCurl

/// Learns from libssl that a server has said farewell (close_notify) on a TLS connection of libcurl's,
/// which takes the mere end of TCP for the same.
enum Farewell {
    /// The place in libssl's connections that holds ours, retained.
    private static let place = CRYPTO_get_ex_new_index(
        CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil
    ) { _, connection, _, _, _, _ in
        guard let connection else { return }
        Unmanaged<TCPConnection>.fromOpaque(connection).release()
    }

    /// On every connection that `easy` makes.
    static func listen(to easy: borrowing Easy) {
        curl_set_tls_callback(easy.handle) { _, context, _ in
            guard let context else { return CURLE_OK }
            SSL_CTX_set_info_callback(OpaquePointer(context)) { tls, event, value in
                guard tls_is_farewell(event, value) == 1,
                    let connection = SSL_get_ex_data(tls, Farewell.place)
                else { return }
                // Safe because libssl keeps it until it frees `tls`.
                Unmanaged<TCPConnection>.fromOpaque(connection).takeUnretainedValue().saidFarewell =
                    true
            }
            return CURLE_OK
        }
    }

    /// `connection` is told of the farewell on `tls`.
    static func tell(_ connection: TCPConnection, on tls: OpaquePointer) {
        SSL_set_ex_data(tls, place, Unmanaged.passRetained(connection).toOpaque())
    }
}
