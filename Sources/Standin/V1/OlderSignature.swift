internal import Dialects
internal import Formats

/// The header that clients sent before access tokens (observed.md):
///
///     Authorization: GET requestor_id=DEMOTV, nonce=..., signature_method=HMAC-SHA1, request_time=...,
///         request_uri=/checkauthn, public_key=..., signature=...
///
/// Whether the signature is right only the vendor could say.
struct OlderSignature: Sendable {
    let requestor: String

    private static let names = [
        "requestor_id", "nonce", "signature_method", "request_time", "request_uri", "public_key",
        "signature",
    ]

    /// Nil where `header` is another one, or lacks a part.
    init?(_ header: String, method: Method?) {
        guard let space = header.utf8.firstIndex(of: UInt8(ascii: " ")), let method,
            header[..<space] == method.rawValue
        else { return nil }
        var fields: [Substring: String] = [:]
        for part in header[space...].split(separator: ",") {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let value = part[part.index(after: sign)...].trimmingSpaces()
            fields[part[..<sign].trimmingSpaces()[...]] = value.filter { $0 != "\"" }
        }
        guard Self.names.allSatisfy({ fields[$0[...]]?.isEmpty == false }),
            fields["signature_method"] == "HMAC-SHA1", let requestor = fields["requestor_id"]
        else { return nil }
        self.requestor = requestor
    }
}
