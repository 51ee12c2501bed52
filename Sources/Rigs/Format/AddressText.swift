internal import Dialects
internal import Glibc
internal import Vocabulary

extension Scalar<Target.Base> {
    /// `embedded`, or the address of a service.
    static var base: Scalar<Target.Base> {
        Scalar(
            name: "base", wanted: "embedded, or an address such as https://auth.staging.example",
            pattern: "embedded|https?:\\/\\/[^\\s?#@]+"
        ) { text throws(Refusal) in
            if text == "embedded" { return Target.Base.embedded }
            let address = try Spelling.webAddress(text)
            guard address.query.isEmpty, !text.contains("?") else {
                throw Refusal(remark: "which has a query")
            }
            let path = address.path
            return Target.Base.remote(
                address.origin, prefix: String(path.hasSuffix("/") ? path.dropLast() : path))
        }
    }
}

extension Scalar<String> {
    static var url: Scalar<String> {
        Scalar(
            name: "url", wanted: "an http or https address, such as https://demo.test/done",
            pattern: "https?:\\/\\/[^\\s@]+", spelled: { $0 },
            parse: { text throws(Refusal) in
                _ = try Spelling.webAddress(text)
                return text
            })
    }
}

extension Scalar<String> {
    /// A name or literal address, as a rig allows it.
    static var host: Scalar<String> {
        Scalar(
            name: "host", wanted: "a bare host name, such as auth.staging.example",
            pattern: "[^\\s\\/@]+"
        ) { text throws(Refusal) in
            if text.contains("://") { throw Refusal(remark: "which has a scheme") }
            guard !text.isEmpty, !text.contains(where: { $0.isWhitespace || "/@?#".contains($0) })
            else {
                throw Refusal(remark: nil)
            }
            let bare =
                text.hasPrefix("[") && text.hasSuffix("]")
                ? String(text.dropFirst().dropLast()) : text
            if bare.contains("*") { throw Refusal(remark: "which has a wildcard; list each host") }
            let isIPv6 = bare.count { $0 == ":" } > 1
            if bare.contains(":"), !isIPv6 { throw Refusal(remark: "which has a port") }
            return bare.lowercased()
        }
    }
}

extension Scalar<String> {
    /// An IP address, not a name.
    static var address: Scalar<String> {
        Scalar(
            name: "address", wanted: "an IP address, such as 203.0.113.7",
            pattern: "[0-9A-Fa-f:.]+"
        ) { text throws(Refusal) in
            var bytes = in6_addr()
            guard inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
            else {
                throw Refusal(remark: text.contains("/") ? "which is a range" : nil)
            }
            return text
        }
    }
}

extension Scalar<AddressRange> {
    /// IPv4 addresses that follow one another.
    static var addressRange: Scalar<AddressRange> {
        Scalar(
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
    }
}

extension Scalar<AddressBlock> {
    /// Public addresses of homes.
    static var forwardedRange: Scalar<AddressBlock> {
        Scalar(
            name: "forwarded-range",
            wanted: "an address or range, such as 203.0.113.0/24 or 2001:db8:1::/48",
            pattern: "[0-9A-Fa-f:.]+(\\/[0-9]+)?"
        ) { text throws(Refusal) in
            guard let block = AddressBlock(text) else {
                let parts = text.split(separator: "/")
                let isWide = parts.count == 2 && AddressBlock(String(parts[0])) != nil
                throw Refusal(
                    remark: isWide ? "which is wider than a /8 (IPv6: /16), or no range" : nil)
            }
            return block
        }
    }
}

extension Scalar<TargetLimits.Limit<Rate>> {
    /// `none`, or a rate that lets something through.
    static var ceiling: Scalar<TargetLimits.Limit<Rate>> {
        Scalar(
            name: "ceiling", wanted: "none, or a rate above 0/s, such as 20/s",
            pattern: "none|[0-9]+(\\.[0-9]+)? *\\/ *(s|m|h)", hasUnit: true
        ) { text throws(Refusal) in
            if text == "none" { return TargetLimits.Limit<Rate>.none }
            let rate = try Scalar<Rate>.rate.parse(text)
            guard rate.perSecond > 0 else { throw Refusal(remark: "which allows no request") }
            return TargetLimits.Limit<Rate>.at(rate)
        }
    }
}

extension Scalar<TransportOptions.Proxy> {
    /// `none`, `environment` or an address; with a user name only by way of `${NAME}`.
    static var proxy: Scalar<TransportOptions.Proxy> {
        Scalar(
            name: "proxy",
            wanted: "none, environment or an address such as http://proxy.example:3128",
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
    }
}

extension Scalar<Recording> {
    /// `all`, `sample(1%)`, `aggregates` or `none`.
    static var recording: Scalar<Recording> {
        Scalar(
            name: "recording", wanted: "all, sample(1%), aggregates or none",
            pattern: "all|aggregates|none|sample\\( *[0-9]+(\\.[0-9]+)? *% *\\)"
        ) { text throws(Refusal) in
            switch text {
            case "all": return Recording.all
            case "aggregates": return Recording.aggregates
            case "none": return Recording.none
            default:
                guard text.hasPrefix("sample("), text.hasSuffix(")") else {
                    throw Refusal(remark: nil)
                }
                let inside = text.dropFirst(7).dropLast().trimmingSpaces()
                return Recording.sample(try Scalar<Double>.share.parse(inside))
            }
        }
    }
}
