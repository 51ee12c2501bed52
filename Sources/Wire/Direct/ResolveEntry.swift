internal import CCurl

/// What libcurl is told about a name, so that it goes where permission was given for and never
/// resolves by itself (`CURLOPT_RESOLVE`).
enum ResolveEntry {
    /// Frees `old` and makes the entry for a host; nil for a literal address, which needs none.
    static func replacing(
        _ old: UnsafeMutablePointer<curl_slist>?, host: String, port: Int, addresses: [IPAddress]
    ) -> UnsafeMutablePointer<curl_slist>? {
        curl_slist_free_all(old)
        guard IPAddress(host) == nil else { return nil }
        return curl_slist_append(
            nil, "\(host):\(port):\(addresses.map(\.bracketed).joined(separator: ","))")
    }
}
