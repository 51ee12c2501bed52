internal import CCurl
public import Dialects
internal import Glibc
internal import Vocabulary

/// Sends bodies to one server that is no target, such as a collector of telemetry: each call blocks its thread until
/// the answer is there. Not for lanes. Redirects are not followed, and no proxy is asked.
public final class Poster {
    /// What came of one body.
    public enum Ending: Hashable, Sendable {
        /// The status, and the first bytes of the answer.
        case answered(status: Int, body: [UInt8])
        /// No answer, and why, in libcurl's words.
        case lost(String)
    }

    private let easy: Easy
    private let fields = HeaderList()
    private let answer = PostAnswer()
    /// Nil where nothing is secured.
    private let trust: TrustFile?

    /// For a server that is reached by TLS, or not. `ca`: a PEM file of a CA to trust beside the system's.
    public init(timeout: Duration, isSecure: Bool, ca: String? = nil) throws(WireError) {
        easy = try Easy()
        let tls = TransportOptions.TLS(ca: ca)
        trust = isSecure ? try TrustFile(tls) : nil
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_TIMEOUT_MS, max(1, timeout.milliseconds))
        if let trust { easy.secure(tls, trust: trust) }
        // Safe because libcurl calls back only inside `post`, on this handle, which is ours.
        curl_set_write_callbacks(
            easy.handle, { _, size, count, _ in size * count },
            { bytes, size, count, context in
                guard let context, let bytes else { return 0 }
                let answer = Unmanaged<PostAnswer>.fromOpaque(context).takeUnretainedValue()
                answer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            }, Unmanaged.passUnretained(answer).toOpaque())
    }

    /// Sends `body` to `address` by POST.
    public func post(_ body: [UInt8], to address: WebAddress, _ headers: Headers) -> Ending {
        answer.bytes = []
        easy.set(CURLOPT_URL, "\(address.origin)\(RequestTarget.escaped(address.target))")
        easy.set(body: body)
        easy.set(CURLOPT_HTTPHEADER, list: fields.fill(headers, hasBody: true))
        let code = curl_easy_perform(easy.handle)
        guard code == CURLE_OK else { return .lost(String(cString: curl_easy_strerror(code))) }
        return .answered(status: easy.number(CURLINFO_RESPONSE_CODE), body: answer.bytes)
    }
}

/// What a server answers, as far as somebody reads it.
private final class PostAnswer {
    var bytes: [UInt8] = []
    private static let limit = 16_384

    func take(_ more: UnsafeRawBufferPointer) {
        bytes += more.prefix(max(0, Self.limit - bytes.count))
    }
}
