/// How requests travel, as a rig says it and the wire does it.
public enum TransportOptions {
    /// Who may use a connection (rigs/reference.yaml, `connections:`).
    public enum Connections: String, Sendable, CaseIterable {
        /// Each device has its own, as real screens have.
        case perDevice = "per-device"
        /// Any free one: fewer descriptors, no identity.
        case pooled
        /// A new one for each request; exhausts the ports of an address at about 470/s.
        case fresh
    }

    /// Who speaks HTTP (rigs/reference.yaml, `engine:`).
    public enum Engine: String, Sendable, CaseIterable {
        /// `direct` wherever it can be.
        case auto
        /// Our own HTTP/1.1 over connections that libcurl makes; a proxy for plain HTTP and HTTP/2
        /// are left to libcurl all the same.
        case direct
        /// All of libcurl.
        case multi
    }

    public enum HTTP: String, Sendable, CaseIterable {
        case http1 = "1.1"
        /// By ALPN over TLS, by prior knowledge without.
        case http2 = "2"
    }

    public enum Proxy: Sendable, Hashable {
        /// The default: the environment is not looked at.
        case none
        /// `http_proxy`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, read once.
        case environment
        case url(String)
    }

    /// What is trusted and shown in a TLS handshake.
    public struct TLS: Sendable, Hashable {
        public enum Version: String, Sendable, CaseIterable {
            case v12 = "1.2"
            case v13 = "1.3"
        }

        public var verifies: Bool
        /// A PEM file, added to the system's roots, or alone with `caOnly`.
        public var ca: String?
        public var caOnly: Bool
        /// PEM file of the client's certificate.
        public var certificate: String?
        /// PEM file of its key; nil when the certificate's file holds it.
        public var key: String?
        public var minimum: Version

        public init(
            verifies: Bool = true, ca: String? = nil, caOnly: Bool = false,
            certificate: String? = nil, key: String? = nil, minimum: Version = .v12
        ) {
            self.verifies = verifies
            self.ca = ca
            self.caOnly = caOnly
            self.certificate = certificate
            self.key = key
            self.minimum = minimum
        }
    }

    /// Who shares an address of a pinned host (rigs/reference.yaml, `resolve`).
    public enum Spread: String, Sendable, CaseIterable {
        /// All screens of a household.
        case household
        /// A household's TV and its phones have one after the other.
        case screen
        /// Each request goes to the next one; needs `connections: fresh`.
        case request
    }
}
