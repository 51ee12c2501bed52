import Glibc

/// How late anybody is on this machine: a loop that sleeps until each due time, then counts for as long as a
/// request takes, and does nothing else. Lateness that it has comes from the machine (a virtual one may lose its core
/// for milliseconds, and what was due meanwhile is caught up in turn), not from a generator.
struct Floor {
    /// In milliseconds.
    let p50: Double
    let p99: Double
    let p999: Double

    /// The first of the arguments with which this program runs such a loop, for it needs a core of its own.
    static let word = "floor"

    /// - Parameters:
    ///   - rate: Due times a second.
    ///   - microseconds: What each takes.
    init(rate: Int, microseconds: Double, seconds: Int, core: Int) throws {
        let said = try Program.run(
            [CommandLine.arguments[0], Self.word]
                + [rate, Int(microseconds * 1000), seconds].map { String($0) }, core: core
        ).output
        let found = said.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard found.count == 3 else { throw Trouble("floor: \(said)") }
        (p50, p99, p999) = (found[0], found[1], found[2])
    }

    /// Runs the loop: due times a second, nanoseconds for each, and seconds. Says p50, p99 and p99.9 of its
    /// lateness in milliseconds.
    static func run(_ arguments: [String]) {
        let numbers = arguments.compactMap { Int($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else { return }
        let (step, work) = (1_000_000_000 / numbers[0], numbers[1])
        let count = numbers[0] * numbers[2]
        var late: [Int] = []
        late.reserveCapacity(count)
        let begin = now + step
        for position in 0..<count {
            let due = begin + position * step
            if now < due {
                var until = timespec(tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000)
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil)
            }
            let started = now
            late.append(started - due)
            while now - started < work {}
        }
        late.sort()
        say(
            [0.5, 0.99, 0.999].map { String(Double(late[Int($0 * Double(count))]) / 1e6) }
                .joined(separator: " "))
    }

    /// In nanoseconds.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
