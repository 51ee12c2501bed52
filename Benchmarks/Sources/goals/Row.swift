/// One goal and how it is measured.
struct Row {
    /// For `ROWS=`.
    var name: String
    var goal: String
    var must: String
    var moonshot: String
    var measure: (Bench) throws -> Result

    /// What came of it.
    struct Result {
        var text: String
        var grade: Grade
    }

    enum Grade: String {
        case moonshot = "moonshot"
        case met = "must"
        case missed = "**missed**"
        case unmeasured = "not measured"

        /// A figure against its two marks.
        static func of(_ value: Double, must: Double, moonshot: Double, isLess: Bool = false)
            -> Grade
        {
            guard value.isFinite else { return .unmeasured }
            let sign = isLess ? -1.0 : 1.0
            if value * sign >= moonshot * sign { return .moonshot }
            return value * sign >= must * sign ? .met : .missed
        }

        /// The worse of two.
        func and(_ other: Grade) -> Grade {
            let order: [Grade] = [.moonshot, .met, .missed, .unmeasured]
            return order[max(order.firstIndex(of: self)!, order.firstIndex(of: other)!)]
        }
    }
}

/// What rows measure with: targets on one core, generators on the other.
final class Bench {
    let generators: Generators
    let root: String
    private var made: Nginx?

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

    /// Ours and a peer's in turn, so that both meet the same neighbours: medians, and the median of
    /// the ratios of the rounds.
    func alternate(
        rounds: Int = 3, _ ours: () throws -> Speed, _ peer: () throws -> Speed
    ) throws -> (ours: Speed, peer: Speed, ratio: Double) {
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
        return (
            Speed(
                perSecond: median { $0.ours.perSecond },
                microseconds: median { $0.ours.microseconds }),
            Speed(
                perSecond: median { $0.peer.perSecond },
                microseconds: median { $0.peer.microseconds }),
            median { $0.ours.perSecond / $0.peer.perSecond }
        )
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}

/// Numbers as the table shows them.
func short(_ value: Double) -> String {
    switch abs(value) {
    case 100_000...: "\(Int((value / 1000).rounded())) k"
    case 10_000...: "\((value / 100).rounded() / 10) k"
    case 100...: "\(Int(value.rounded()))"
    case 10...: "\((value * 10).rounded() / 10)"
    default: "\((value * 100).rounded() / 100)"
    }
}
