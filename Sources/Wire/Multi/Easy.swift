internal import CCurl
internal import Glibc
internal import Vocabulary

/// libcurl as a whole: made ready once, before the first handle.
enum Library {
    /// Handles ask libcurl not to touch signals (`NOSIGNAL`: it would on every call, and for the
    /// whole process), so a TLS write to a closed connection would end us by SIGPIPE.
    static let isReady: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    static let hasHTTP2: Bool = {
        guard let version = curl_current_version() else { return false }
        return version.pointee.features & CURL_VERSION_HTTP2 != 0
    }()
}

/// One libcurl easy handle, owned.
struct Easy: ~Copyable {
    let handle: UnsafeMutableRawPointer

    init() throws(WireError) {
        guard Library.isReady, let handle = curl_easy_init() else { throw .noHandle }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    /// For options that every libcurl of our minimum version knows: a refusal is our mistake.
    borrowing func set(_ option: CURLoption, _ value: Int) {
        check(curl_set_long(handle, option, value), option)
    }

    /// Copied by libcurl; nil resets it.
    borrowing func set(_ option: CURLoption, _ value: String?) {
        check(curl_set_string(handle, option, value), option)
    }

    /// Not copied: it must live as long as the transfer.
    borrowing func set(_ option: CURLoption, list: UnsafeMutablePointer<curl_slist>?) {
        check(curl_set_list(handle, option, list), option)
    }

    borrowing func set(body: [UInt8]) {
        let code = body.withUnsafeBufferPointer { bytes in
            // An empty body still needs an address: NULL would mean "ask a callback".
            withUnsafePointer(to: UInt8(0)) { empty in
                curl_set_body(handle, bytes.baseAddress ?? empty, curl_off_t(bytes.count))
            }
        }
        check(code, CURLOPT_COPYPOSTFIELDS)
    }

    borrowing func number(_ info: CURLINFO) -> Int { curl_get_long(handle, info) }

    /// For the infos that are microseconds.
    borrowing func duration(_ info: CURLINFO) -> Duration {
        .microseconds(curl_get_offset(handle, info))
    }

    /// Empty when libcurl does not know.
    borrowing func text(_ info: CURLINFO) -> String {
        curl_get_string(handle, info).map { String(cString: $0) } ?? ""
    }

    private borrowing func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(
            code == CURLE_OK, "libcurl refused option \(option.rawValue): \(code.rawValue)")
    }
}

extension Easy {
    /// What is trusted and shown in TLS handshakes.
    borrowing func secure(_ tls: TransportOptions.TLS, trust: TrustFile) {
        let minimum = tls.minimum == .v13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        set(CURLOPT_SSLVERSION, Int(minimum))
        if let certificate = tls.certificate {
            set(CURLOPT_SSLCERT, certificate)
            set(CURLOPT_SSLKEY, tls.key ?? certificate)
        }
        // No directory of roots: see TrustFile.
        set(CURLOPT_CAPATH, nil)
        set(CURLOPT_PROXY_CAPATH, nil)
        if let roots = trust.path {
            set(CURLOPT_CAINFO, roots)
            set(CURLOPT_PROXY_CAINFO, roots)
        } else {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }
}
