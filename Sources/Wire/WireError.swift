internal import Dialects
internal import Glibc

/// Why the wire cannot be set up at all: mistakes in settings and missing files, found before the
/// first request.
public enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libcurl gave no handle: memory or descriptors are exhausted.
    case noHandle
    /// libcurl is built without something that the settings need.
    case unsupported(String)
    /// A file named by the rig cannot be read.
    case unreadable(key: String, path: String, errno: Int32)
    /// A file named by the rig is not what it should be.
    case notPEM(key: String, path: String)
    /// No bundle of root certificates in any of the usual places.
    case noSystemRoots
    case proxyNotURL(String)

    public var description: String {
        switch self {
        case .noHandle:
            "libcurl cannot create a handle: out of memory or file descriptors; raise 'ulimit -n'"
        case .unsupported(let what):
            "this machine's libcurl has no \(what); install libcurl4-openssl-dev"
        case .unreadable(let key, let path, let number):
            "\(key): cannot read \(path): \(String(cString: strerror(number)).lowercased())"
        case .notPEM(let key, let path):
            "\(key): \(path) holds no PEM certificate (-----BEGIN CERTIFICATE-----)"
        case .noSystemRoots:
            "no system root certificates found; install ca-certificates, or set tls.ca and "
                + "tls.ca-only"
        case .proxyNotURL(let text):
            "proxy: '\(WebAddress.withoutUser(text))' is not a URL of the form http://host:port"
        }
    }
}
