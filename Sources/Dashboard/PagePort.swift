/// Where a page is to be served: a port that somebody named, or the usual one.
public enum PagePort: Sendable, Hashable {
    /// This one, or none: whoever named it has written it down elsewhere.
    case named(Int)
    /// The usual one of that page, or the next that is free.
    case usual

    /// Of `--dashboard`.
    public static let dashboard = 7464
    /// Of `--metrics`: the one that exporters of OpenTelemetry use.
    public static let metrics = 9464
    /// How many ports are tried from the usual one on.
    static let tries = 20

    /// The ports to try, in order.
    func candidates(from usual: Int) -> [Int] {
        switch self {
        case .named(let port): [port]
        case .usual: Array(usual..<usual + Self.tries)
        }
    }
}

/// Why a page could not be served.
public enum DashboardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `option` is `--dashboard` or `--metrics`.
    case portTaken(option: String, port: Int, reason: String)
    case noPort(option: String, from: Int, through: Int, reason: String)

    public var description: String {
        switch self {
        case .portTaken(let option, let port, let reason):
            "\(option) \(port): cannot listen on 127.0.0.1 port \(port) (\(reason)); name another, or leave "
                + "the number out to take a free one"
        case .noPort(let option, let from, let through, let reason):
            "\(option): none of the ports \(from) to \(through) of 127.0.0.1 is free (\(reason)); name one, "
                + "as in \(option) 8081"
        }
    }
}
