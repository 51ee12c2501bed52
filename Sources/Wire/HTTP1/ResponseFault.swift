/// Where an answer is not HTTP/1.1, or not one that may be trusted. Sections are those of RFC 9112.
enum ResponseFault: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case statusLine
    case version
    case switchedProtocols
    case spaceBeforeFields
    case fieldName
    case nul
    case contentLength
    case lengthAndCoding
    case transferCoding
    case chunkSize
    case chunkEnd
    case headTooLong
    case bodyTooLong
    /// The connection ended before the first byte of an answer.
    case unanswered
    /// The connection ended within an answer.
    case cutOff
    /// TLS ended without its farewell, and nothing else says where the answer ends.
    case noCloseNotify

    var description: String {
        switch self {
        case .statusLine: "no status line (RFC 9112, 4)"
        case .version: "an HTTP version other than 1.x (RFC 9112, 2.3)"
        case .switchedProtocols: "status 101 without an Upgrade request (RFC 9110, 15.2.2)"
        case .spaceBeforeFields: "whitespace before the first header (RFC 9112, 2.2)"
        case .fieldName: "a header line without a valid name (RFC 9112, 5)"
        case .nul: "a NUL character in the headers (RFC 9110, 5.5)"
        case .contentLength: "no single valid Content-Length (RFC 9112, 6.3)"
        case .lengthAndCoding: "both Content-Length and Transfer-Encoding (RFC 9112, 6.3)"
        case .transferCoding: "a transfer coding that was not requested (RFC 9112, 6.1)"
        case .chunkSize: "no valid chunk size (RFC 9112, 7.1)"
        case .chunkEnd: "a chunk longer than its size (RFC 9112, 7.1)"
        case .headTooLong: "too many bytes of headers"
        case .bodyTooLong: "too many bytes of body"
        case .unanswered: "closed without an answer"
        case .cutOff: "closed within the answer (RFC 9112, 8)"
        case .noCloseNotify: "the TLS connection ended without close_notify (RFC 9112, 9.8)"
        }
    }
}
