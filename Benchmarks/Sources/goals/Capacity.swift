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

    /// Measures all three, one after the other. The rate is found by halving, with six runs of 2 s. A run of 8 s must
    /// carry it as well, or it is lowered until one does.
    init(_ generators: Generators, _ url: String) throws {
        closed = try generators.recorded(url, seconds: 3).perSecond
        closedOverAll =
            try generators.recorded(url, seconds: 3, connections: Self.connections).perSecond
        (rate, microseconds) = (0, .nan)
        var low = 0.0
        var high = 1.1 * closed
        for _ in 0..<6 {
            let middle = ((low + high) / 2).rounded()
            if try Self.cost(of: middle, for: 2, generators, url) != nil {
                low = middle
            } else {
                high = middle
            }
        }
        while low > closed / 20 {
            if let cost = try Self.cost(of: low, for: 8, generators, url) {
                (rate, microseconds) = (low, cost)
                return
            }
            low = (0.95 * low).rounded(.down)
        }
    }

    /// Processor time for each request at a rate; nil where that rate is not carried: requests leave
    /// late, or writing and judging them falls behind. It is tried twice, as a neighbour may have had the core.
    private static func cost(
        of rate: Double, for seconds: Int, _ generators: Generators, _ url: String
    ) throws -> Double? {
        for _ in 0..<2 {
            if let cost = try costOnce(of: rate, for: seconds, generators, url) { return cost }
        }
        return nil
    }

    private static func costOnce(
        of rate: Double, for seconds: Int, _ generators: Generators, _ url: String
    ) throws -> Double? {
        let found = try generators.calibrate([
            "--target", url, "--connections", "\(connections)", "--rate", "\(Int(rate))/s",
            "--for", "\(seconds)s", "--record", "all",
        ])
        let isCarried =
            found["latenessMs", "p99"] < 10 && found["requestsPerSecond"] > 0.98 * rate
            && found["drainTimeMs"] < backlog
        return isCarried ? found["cpuMicrosecondsPerRequest"] : nil
    }
}
