internal import Formats
internal import Signing

/// Makes and verifies media tokens (rest-v1.md § 11).
struct MediaSigner: Sendable {
    private let key: RSAKey
    private let signs: Bool
    /// Not a secret: it only makes tokens differ where they are not signed.
    private static let filler = KeyedDigest(key: Array("screenrig demo media token".utf8))

    init(signs: Bool) {
        key = DemoKeys.media()
        self.signs = signs
    }

    /// Base64 of signature and short authorization token.
    func token(
        session: String, device: DeviceKey, signIn: SignIn, proxy: String, resource: String,
        issued: Int64, ttl: Int64
    ) -> String {
        let short = DocumentWriter.element("shortAuthorizationToken") {
            $0.text("sessionGUID", session)
            $0.text("requestorID", device.requestor)
            $0.text("resourceID", resource)
            $0.number("ttl", ttl)
            $0.text("issueTime", UTCTime(milliseconds: issued).rfc3339)
            $0.text("mvpdId", signIn.mvpd)
            $0.text("proxyMvpdId", proxy)
        }
        // An RSA key that was read signs any bytes; were it not so, nobody could verify the token,
        // and that is what the filler says too.
        let signature =
            (signs ? try? key.sign(short) : nil) ?? Self.filler.digest(short)
        var whole: [UInt8] = []
        whole.reserveCapacity(short.count + 2 * signature.count + 32)
        whole.append(text: "<signatureInfo>")
        whole.append(text: Base64.encode(signature))
        whole.append(text: "</signatureInfo>")
        whole += short
        return Base64.encode(whole)
    }

    /// What a token says, if it is one of ours, signed and unchanged.
    func verified(_ text: String) -> MediaClaims? {
        guard let bytes = Base64.decode(text),
            let signature = bytes[...].text("<signatureInfo>", "</signatureInfo>"),
            let short = bytes[...].part(
                "<shortAuthorizationToken>", "</shortAuthorizationToken>"),
            let value = Base64.decode(signature),
            (try? key.verifies(value, of: Array(short))) == true,
            let session = short.text("<sessionGUID>", "</sessionGUID>"),
            let resource = short.text("<resourceID>", "</resourceID>"),
            let ttl = short.text("<ttl>", "</ttl>").flatMap({ Int64($0) }),
            let issued = short.text("<issueTime>", "</issueTime>").flatMap({
                UTCTime(rfc3339: $0)?.milliseconds
            })
        else { return nil }
        return MediaClaims(session: session, resource: resource, expires: issued + ttl)
    }
}

/// What a verified media token says.
struct MediaClaims {
    var session: String
    var resource: String
    /// From the whole second of its issue on.
    var expires: Int64
}

/// Media tokens that were verified once: "one use" (rest-v1.md § 11).
struct SpentMedia: Sendable {
    private var sessions: Set<String> = []
    private var queue = DueQueue<String>()

    /// False the second time.
    mutating func spend(_ claims: MediaClaims) -> Bool {
        guard sessions.insert(claims.session).inserted else { return false }
        queue.add(claims.session, due: claims.expires)
        return true
    }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let session = queue.next(dueBy: time) else { return }
            sessions.remove(session)
        }
    }
}
