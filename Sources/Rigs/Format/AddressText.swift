internal import Dialects
internal import Glibc
internal import Vocabulary

extension Scalar {
    /// `embedded`, or the address of a service.
    static let base = Scalar(
        name: "base", wanted: "embedded, or an address such as https://auth.staging.example",
        pattern: "embedded|https?:\\/\\/[^\\s?#@]+"
    ) { text throws(Refusal) in
        if text == "embedded" { return Target.Base.embedded }
        let address = try webAddress(text)
        guard address.query.isEmpty, !text.contains("?") else {
            throw Refusal(remark: "which has a query")
        }
        let path = address.path
        return Target.Base.remote(
            address.origin, prefix: String(path.hasSuffix("/") ? path.dropLast() : path))
    }

    static let url = Scalar(
        name: "url", wanted: "an http or https address, such as https://demo.test/done",
        pattern: "https?:\\/\\/[^\\s@]+"
    ) { text throws(Refusal) in
        _ = try webAddress(text)
        return text
    }

    private static func webAddress(_ text: String) throws(Refusal) -> WebAddress {
        guard let address = WebAddress(text), !text.contains(where: \.isWhitespace) else {
            throw Refusal(remark: nil)
        }
        let authority = text.drop { $0 != ":" }.dropFirst(3).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            throw Refusal(remark: "which has a user name in it")
        }
        guard !text.contains("#") else { throw Refusal(remark: "which has a fragment") }
        return address
    }

    /// A name or literal address, as a rig allows it.
    static let host = Scalar(
        name: "host", wanted: "a bare host name, such as auth.staging.example",
        pattern: "[^\\s\\/@]+"
    ) { text throws(Refusal) in
        if text.contains("://") { throw Refusal(remark: "which has a scheme") }
        guard !text.isEmpty, !text.contains(where: { $0.isWhitespace || "/@?#".contains($0) })
        else {
            throw Refusal(remark: nil)
        }
        let bare =
            text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        if bare.contains("*") { throw Refusal(remark: "which has a wildcard; list each host") }
        let isIPv6 = bare.count { $0 == ":" } > 1
        if bare.contains(":"), !isIPv6 { throw Refusal(remark: "which has a port") }
        return bare.lowercased()
    }

    /// An IP address, not a name.
    static let address = Scalar(
        name: "address", wanted: "an IP address, such as 203.0.113.7",
        pattern: "[0-9A-Fa-f:.]+"
    ) { text throws(Refusal) in
        var bytes = in6_addr()
        guard inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1 else {
            throw Refusal(remark: text.contains("/") ? "which is a range" : nil)
        }
        return text
    }

    /// IPv4 addresses that follow one another.
    static let addressRange = Scalar(
        name: "address-range", wanted: "an IPv4 address or range, such as 127.1.0.0/16",
        pattern: "[0-9]+(\\.[0-9]+){3}(\\/[0-9]+)?"
    ) { text throws(Refusal) in
        guard let range = AddressRange(text) else {
            let bits = text.split(separator: "/").last.flatMap { Int($0) }
            let isWide = text.contains("/") && bits.map { $0 < 8 } == true
            throw Refusal(remark: isWide ? "which is wider than a /8" : nil)
        }
        return range
    }

    /// `none`, or a rate that lets something through.
    static let ceiling = Scalar(
        name: "ceiling", wanted: "none, or a rate above 0/s, such as 20/s",
        pattern: "none|[0-9]+(\\.[0-9]+)? *\\/ *(s|m|h)", hasUnit: true
    ) { text throws(Refusal) in
        if text == "none" { return TargetLimits.Limit<Rate>.none }
        guard let rate = try rate.parse(text) as? Rate else { throw Refusal(remark: nil) }
        guard rate.perSecond > 0 else { throw Refusal(remark: "which allows no request") }
        return TargetLimits.Limit<Rate>.at(rate)
    }

    /// `none`, `environment` or an address; with a user name only by way of `${NAME}`.
    static let proxy = Scalar(
        name: "proxy", wanted: "none, environment or an address such as http://proxy.example:3128",
        pattern: "none|environment|https?:\\/\\/[^\\s@]+", secrecy: .credentials
    ) { text throws(Refusal) in
        switch text {
        case "none": return TransportOptions.Proxy.none
        case "environment": return TransportOptions.Proxy.environment
        default:
            guard WebAddress(text) != nil else { throw Refusal(remark: nil) }
            return TransportOptions.Proxy.url(text)
        }
    }

    /// `all`, `sample(1%)`, `aggregates` or `none`.
    static let recording = Scalar(
        name: "recording", wanted: "all, sample(1%), aggregates or none",
        pattern: "all|aggregates|none|sample\\( *[0-9]+(\\.[0-9]+)? *% *\\)"
    ) { text throws(Refusal) in
        switch text {
        case "all": return Recording.all
        case "aggregates": return Recording.aggregates
        case "none": return Recording.none
        default:
            guard text.hasPrefix("sample("), text.hasSuffix(")") else { throw Refusal(remark: nil) }
            let inside = text.dropFirst(7).dropLast().trimmingSpaces()
            guard let share = try share.parse(inside) as? Double else { throw Refusal(remark: nil) }
            return Recording.sample(share)
        }
    }
}
