internal import Formats
internal import Signing

/// A profile as one device is shown it (rest-v2.md § 6).
struct ProfileView {
    enum Kind: String {
        case regular, appleSSO, platformSSO, serviceTokenSSO, degraded, temporary
    }

    var kind: Kind
    /// Where the sign-in lives; for those that are not stored, the device's own.
    var key: DeviceKey
    var signIn: SignIn
    var trial: PassStanding?

    private var issuer: String {
        switch kind {
        case .appleSSO: "Apple"
        case .degraded, .temporary: "Adobe"
        default: signIn.mvpd
        }
    }

    func write(_ provider: ServiceSettings.Provider?, to document: inout DocumentWriter) {
        document.object(signIn.mvpd) { profile in
            profile.number("notBefore", signIn.started)
            profile.number("notAfter", signIn.expires)
            profile.text("issuer", issuer)
            profile.text("type", kind.rawValue)
            profile.object("attributes") { attributes in
                attributes.attribute("userID") { $0.text("value", signIn.user) }
                switch kind {
                case .degraded: break
                case .temporary: trial?.write(to: &attributes)
                default: write(of: provider, to: &attributes)
                }
            }
        }
    }

    /// What a provider tells of its user (rest-v1.md § 12).
    private func write(
        of provider: ServiceSettings.Provider?, to attributes: inout DocumentWriter
    ) {
        if kind != .regular { attributes.attribute("mvpd") { $0.text("value", signIn.mvpd) } }
        guard provider?.offersMetadata ?? true else { return }
        attributes.attribute("householdID") { $0.text("value", "h-" + signIn.user) }
        if provider?.encryptsZip ?? false {
            attributes.attribute("zip", isEncrypted: true) {
                $0.text("value", Service.encryptedZip)
            }
        } else {
            attributes.attribute("zip") { $0.text("value", "12345") }
        }
    }

    /// What stands in for a sign-in while a provider is stood in for: a minute of the rule, so that calls
    /// in it agree, and nobody in particular.
    static func degraded(
        _ device: DeviceKey, mvpd: String, _ order: Degradations.Order, at time: Int64
    ) -> ProfileView {
        let start = order.from + max(0, time - order.from) / 60_000 * 60_000
        let end = max(min(start + 60_000, order.until), time + 1)
        return ProfileView(
            kind: .degraded, key: device.with(mvpd: mvpd),
            signIn: SignIn(
                mvpd: mvpd, user: "95cf93bcd183214a" + digest(device.device, 12), started: start,
                expires: end, serial: 0, updated: time))
    }

    /// Hexadecimal digits of a text's digest, two for each byte.
    static func digest(_ text: String, _ bytes: Int) -> String {
        Hex.encode(Array(SHA256.digest(text).prefix(bytes)))
    }
}

extension DocumentWriter {
    /// An attribute of a profile; `value` writes its value.
    mutating func attribute(
        _ name: String, isEncrypted: Bool = false, _ value: (inout DocumentWriter) -> Void
    ) {
        object(name) {
            value(&$0)
            $0.text("state", isEncrypted ? "enc" : "plain")
        }
    }
}
