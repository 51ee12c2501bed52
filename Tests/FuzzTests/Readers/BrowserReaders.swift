import Dialects

@testable import Lanes

extension Reader {
    /// Input: `Set-Cookie` values, one a line, all from one page.
    static let cookies = Reader("cookies", limit: 2_048) { bytes in
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        var headers: Headers = ["Date": "Sun, 22 Nov 2026 12:00:00 GMT"]
        for line in lines { headers.append("Set-Cookie", line) }
        var jar = CookieJar()
        for address in [page, page] {
            jar.store(headers, from: address)
            for other in others where jar.header(for: other) != nil {
                return "a cookie of \(page.origin.host) goes to \(other)"
            }
        }
        let sent = jar.header(for: page) ?? ""
        // A byte that is no UTF-8 becomes three.
        if sent.utf8.count > 3 * bytes.count + 2 * lines.count { return "has grown: \(sent)" }
        if jar.header(for: plain)?.utf8.count ?? 0 > sent.utf8.count {
            return "more cookies go over HTTP than over HTTPS"
        }
        return nil
    }

    private static let page = address(.https, "www.idp.example", "/login/start")
    private static let plain = address(.http, "www.idp.example", "/login/start")
    private static let others = [
        address(.https, "example", "/login/start"), address(.https, "other.example", "/"),
        address(.https, "notidp.example", "/login/start"),
    ]

    private static func address(
        _ scheme: Origin.Scheme, _ host: String, _ target: String
    ) -> WebAddress {
        WebAddress(origin: Origin(scheme: scheme, host: host), target: target)
    }

    /// Input: a `Location`, an `action` or an `href`, on its own and on a page.
    static let addresses = Reader("addresses", limit: 1_024) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for found in [WebAddress(text), page.resolving(text)] {
            guard let found else { continue }
            let host = found.origin.host.utf8
            if host.isEmpty || host.contains(where: { forbidden.contains($0) }) {
                return "the host '\(found.origin.host)'"
            }
            if WebAddress(found.description)?.origin != found.origin {
                return "written again it leads elsewhere: \(found)"
            }
        }
        return nil
    }

    private static let forbidden = Array(#"/\?#@ "#.utf8)
}
