/// What one core carries, every exchange recorded and judged: as fast as it goes, and at a rate.
struct Capacity {
    /// Requests per second of the closed loop, over 100 connections.
    var closed: Double
    /// The same over as many connections as the rate has.
    var closedOverAll: Double
    /// The highest rate, in requests per second, that 1,000 kept connections send on time.
    var rate: Double
    /// Processor time for each request at that rate.
    var microseconds: Double

    private static let connections = 1_000
    /// Milliseconds in which what was left to write and judge must be done, however long the run was: 10,000 exchanges
    /// of each may wait for a quiet moment.
    private static let backlog = 150.0

    /// Measures all three, one after the other. The rate is found by halving: six runs of 2 s, and a second
    /// try for each that fails, as a neighbour may have had the core. A run of 8 s must carry it as well, or it is lowered
    /// until one does.
    init(_ generators: Generators, _ url: String) throws {
        closed = try generators.recorded(url, seconds: 3).perSecond
        closedOverAll =
            try generators.recorded(url, seconds: 3, connections: Self.connections).perSecond
        (rate, microseconds) = (0, .nan)
        var low = 0.0
        var high = 1.1 * closed
        for _ in 0..<6 {
            let middle = ((low + high) / 2).rounded()
            let cost =
                try Self.cost(of: middle, generators, url)
                ?? Self.cost(of: middle, generators, url)
            if let cost {
                (low, rate, microseconds) = (middle, middle, cost)
            } else {
                high = middle
            }
        }
        while rate > 0 {
            if let cost = try Self.cost(of: rate, for: 8, generators, url) {
                microseconds = cost
                return
            }
            rate = (0.95 * rate).rounded()
        }
    }

    /// Processor time for each request at a rate; nil where that rate is not carried: requests leave
    /// late, or writing and judging them falls behind.
    private static func cost(
        of rate: Double, for seconds: Int = 2, _ generators: Generators, _ url: String
    ) throws -> Double? {
        let found = try generators.calibrate([
            "--target", url, "--connections", "\(connections)", "--rate", "\(Int(rate))/s",
            "--for", "\(seconds)s", "--record", "all",
        ])
        let isCarried =
            found["latenessMs", "p99"] < 10 && found["requestsPerSecond"] > 0.98 * rate
            && found["catchingUpMs"] < backlog
        return isCarried ? found["cpuMicrosecondsPerRequest"] : nil
    }
}
