public import Dialects
internal import Formats

/// The cookies of one device, as a browser keeps them for the length of a visit: by host and path,
/// `Secure` and `Domain` obeyed, removed when set to nothing or to the past (RFC 6265, 5.3 and 5.4). Its
/// size is limited as 6.1 says: of too many, the oldest goes.
public struct CookieJar: Sendable {
    private struct Cookie: Sendable {
        var name: String
        var value: String
        var host: String
        var includesSubdomains: Bool
        var path: String
        var isSecure: Bool
    }

    private var cookies: [Cookie] = []
    /// How many were not kept since it was last emptied, because there were too many: what came after
    /// that may have missed them.
    public private(set) var dropped = 0

    /// Bytes of name, value and attributes; a longer one is not taken up.
    private static let longest = 4096
    public static let mostOfHost = 50
    private static let most = 3000
    /// Of one answer: those after it are not read. Browsers stop long before.
    private static let mostAtOnce = 1000

    public init() {}

    /// How many there are.
    public var count: Int { cookies.count }

    public mutating func removeAll() {
        (cookies, dropped) = ([], 0)
    }

    /// Takes up the `Set-Cookie` fields of a reply from `address`.
    public mutating func store(_ headers: Headers, from address: WebAddress) {
        var read = 0
        var date: String?
        for field in headers.fields
        where field.name.utf8.count == 10 && field.name.equalsIgnoringCase("set-cookie") {
            if read == 0 { date = headers["Date"] }
            read += 1
            guard read <= Self.mostAtOnce else { break }
            guard field.value.utf8.count <= Self.longest else { continue }
            store(field.value, from: address, dated: date)
        }
    }

    /// The value of the `Cookie` header for a request, nil when there is nothing to send. Longer
    /// paths first (RFC 6265, 5.4).
    public func header(for address: WebAddress) -> String? {
        guard !cookies.isEmpty else { return nil }
        let host = address.origin.host
        let path = address.path
        func isMeant(_ position: Int) -> Bool {
            let isOfHost =
                cookies[position].host == host
                || cookies[position].includesSubdomains
                    && host.hasSuffix("." + cookies[position].host)
            return isOfHost
                && (!cookies[position].isSecure || address.origin.scheme == .https
                    || Self.isLoopback(host))
                && Self.path(path, isWithin: cookies[position].path)
        }
        var meant = cookies.indices.filter(isMeant)
        guard !meant.isEmpty else { return nil }
        if meant.count > 1 {
            meant.sort { cookies[$0].path.utf8.count > cookies[$1].path.utf8.count }
        }
        var text = ""
        text.reserveCapacity(
            meant.reduce(0) { $0 + cookies[$1].name.utf8.count + cookies[$1].value.utf8.count + 3 })
        for position in meant {
            if !text.isEmpty { text += "; " }
            text += cookies[position].name
            text += "="
            text += cookies[position].value
        }
        return text
    }

    /// `date` is the server's clock, by which it dated the cookie; read only where that matters.
    private mutating func store(_ text: String, from address: WebAddress, dated date: String?) {
        let bytes = text.utf8Span.span
        var end = bytes.first(UInt8(ascii: ";"))
        let equals = bytes.first(UInt8(ascii: "="))
        guard equals < end else { return }
        let name = text.slice(0..<equals).trimmingSpaces()
        guard !name.isEmpty else { return }
        var cookie = Cookie(
            name: name, value: text.slice(equals + 1..<end).trimmingSpaces(),
            host: address.origin.host, includesSubdomains: false,
            path: Self.defaultPath(address.path), isSecure: false)
        var isPast = false
        var hasAge: Bool?
        while end < bytes.count {
            let start = end + 1
            end = bytes.first(UInt8(ascii: ";"), from: start)
            let equals = start + bytes.extracting(start..<end).first(UInt8(ascii: "="))
            let value = text.slice(min(equals + 1, end)..<end).trimmingSpaces()
            switch text.slice(start..<equals).trimmingSpaces().lowercased() {
            case "domain":
                let domain = value.lowercased().drop { $0 == "." }
                guard !domain.isEmpty else { continue }
                // A whole top-level domain is nobody's (RFC 6265, 5.3, 5).
                guard cookie.host == domain || domain.contains(".") else { return }
                guard cookie.host == domain || cookie.host.hasSuffix("." + domain) else { return }
                cookie.host = String(domain)
                cookie.includesSubdomains = true
            case "path" where value.utf8.first == UInt8(ascii: "/"): cookie.path = value
            case "secure": cookie.isSecure = true
            // A visit is shorter than any real lifetime; what matters is a date that deletes.
            case "max-age": hasAge = Self.age(value) ?? hasAge
            case "expires":
                let now = date.flatMap { CookieDate($0) } ?? .longAgo
                isPast = CookieDate(value).map { $0 <= now } ?? false
            default: break
            }
        }
        let isOver = hasAge.map { !$0 } ?? isPast
        let old = cookies.firstIndex {
            $0.name == cookie.name && $0.host == cookie.host && $0.path == cookie.path
        }
        switch (old, isOver) {
        // The place is that of its creation (RFC 6265, 5.3, 11.3).
        case (let old?, false): cookies[old] = cookie
        case (let old?, true): cookies.remove(at: old)
        case (nil, false):
            makeRoom(for: cookie.host)
            cookies.append(cookie)
        case (nil, true): break
        }
    }

    private mutating func makeRoom(for host: String) {
        if cookies.count(where: { $0.host == host }) >= Self.mostOfHost,
            let oldest = cookies.firstIndex(where: { $0.host == host })
        {
            cookies.remove(at: oldest)
            dropped += 1
        } else if cookies.count >= Self.most {
            cookies.removeFirst()
            dropped += 1
        }
    }

    /// Whether `Max-Age` leaves it any time; nil when it is no number (RFC 6265, 5.2.2). However many
    /// digits it has.
    private static func age(_ text: String) -> Bool? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return !isNegative && digits.contains { $0 != UInt8(ascii: "0") }
    }

    /// RFC 6265, 5.1.4.
    private static func defaultPath(_ path: Substring) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    private static func path(_ path: Substring, isWithin folder: String) -> Bool {
        guard path.utf8.starts(with: folder.utf8) else { return false }
        let rest = path.utf8.dropFirst(folder.utf8.count)
        return folder.utf8.last == UInt8(ascii: "/") || rest.isEmpty
            || rest.first == UInt8(ascii: "/")
    }

    /// Browsers treat loopback as trustworthy, whatever the scheme.
    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}

/// A date as cookies and `Date` headers write it, read leniently (RFC 6265, 5.1.1).
struct CookieDate: Comparable {
    /// Year, month, day, hour, minute, second.
    private var parts: [Int]

    /// Older than any server's clock; what expired before it was meant to be deleted.
    static let longAgo = CookieDate(parts: [2010, 1, 1, 0, 0, 0])

    private init(parts: [Int]) {
        self.parts = parts
    }

    init?(_ text: String) {
        let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        var (year, month, day): (Int?, Int?, Int?)
        var time = [0, 0, 0]
        for token in text.lowercased().split(whereSeparator: { " ,-\t".contains($0) }) {
            let clock = token.split(separator: ":").compactMap { Int($0) }
            if clock.count == 3 {
                time = clock
            } else if let number = Int(token) {
                if token.count <= 2, day == nil { day = number } else { year = year ?? number }
            } else if let position = months.firstIndex(of: String(token.prefix(3))) {
                month = position + 1
            }
        }
        guard var year, let month, let day else { return nil }
        // Two digits: 70 to 99 are the last century's.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        parts = [year, month, day] + time
    }

    static func < (left: Self, right: Self) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
