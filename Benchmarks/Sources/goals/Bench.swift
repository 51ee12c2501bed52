import Glibc

/// What rows measure with: targets on one core, generators on the other.
final class Bench {
    let generators: Generators
    let root: String
    private var made: Nginx?
    private var measured: [Capacity] = []

    init(screenrig: String, root: String) {
        generators = Generators(screenrig: screenrig, core: 0)
        self.root = root
    }

    static let targetCore = 1

    func nginx() throws -> Nginx {
        if let made { return made }
        let nginx = try Nginx(core: Self.targetCore)
        made = nginx
        return nginx
    }

    func closeTargets() { made = nil }

    /// `screenrig serve` on the target's core, at the port that the rigs here name.
    func serve() throws -> Program {
        let server = try Program(
            [generators.screenrig, "serve", "--port", "18490", "--no-throttle"],
            core: Self.targetCore)
        for _ in 0..<100 where !server.output.contains("\n") { usleep(50_000) }
        return server
    }

    /// What this build carries, in three rounds, measured once for all rows that ask.
    func capacities() throws -> [Capacity] {
        if measured.isEmpty {
            let url = try nginx().plain
            measured = try (0..<3).map { _ in try Capacity(generators, url) }
        }
        return measured
    }

    /// Ours and a peer's in turn, so that both meet the same neighbours: medians, and the median of
    /// the ratios of the rounds.
    func alternate(
        rounds: Int = 3, _ ours: () throws -> Speed, _ peer: () throws -> Speed
    ) throws -> Compared {
        var pairs: [(ours: Speed, peer: Speed)] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                let first = try ours()
                pairs.append((first, try peer()))
            } else {
                let first = try peer()
                pairs.append((try ours(), first))
            }
        }
        func median(_ value: ((ours: Speed, peer: Speed)) -> Double) -> Double {
            Bench.median(pairs.map(value))
        }
        return Compared(
            ours: Speed(
                perSecond: median { $0.ours.perSecond },
                microseconds: median { $0.ours.microseconds }),
            peer: Speed(
                perSecond: median { $0.peer.perSecond },
                microseconds: median { $0.peer.microseconds }),
            ratio: median { $0.ours.perSecond / $0.peer.perSecond })
    }
}

/// Ours against a peer's.
struct Compared {
    var ours: Speed
    var peer: Speed
    /// Of requests per second.
    var ratio: Double

    /// `99.3 k against 113 k`.
    var rates: String { "\(short(ours.perSecond)) against \(short(peer.perSecond))" }
    /// `CPU 9.3 against 8.32 us`.
    var costs: String {
        "CPU \(short(ours.microseconds)) against \(short(peer.microseconds)) us"
    }
}
