/// What of a schedule does not hang on its offsets: who plays whom, what is made ready together, what is
/// read in the end. Worked out once for all trials whose schedules differ in nothing else, which is
/// most of a sweep and of the orders that a seed draws.
struct TrialOutline: Sendable {
    private let schedule: Schedule
    let cast: ActorBinding
    /// With whether there is anything to time.
    let clusters: [(cluster: Schedule.Cluster, isRaced: Bool)]
    /// The living room of each op.
    let rooms: [Int]
    let finalReads: [Schedule.FinalRead]
    let readers: [Int]
    let polling: [Int]

    init(_ schedule: Schedule) {
        self.schedule = schedule
        cast = ActorBinding(schedule)
        clusters = schedule.clusters.map { ($0, $0.isRaced(in: schedule)) }
        rooms = schedule.ops.map { schedule[actor: $0.actor]?.household ?? 0 }
        finalReads = schedule.finalReads
        readers = schedule.readers
        polling = schedule.polling
    }

    /// Whether it is that schedule's as well.
    func fits(_ other: Schedule) -> Bool {
        schedule.plan == other.plan && schedule.actors == other.actors
            && schedule.ops.elementsEqual(other.ops) { $0.isSameBesidesOffset($1) }
    }

    /// Those of schedules, in their order.
    static func outlines(of schedules: [Schedule]) -> [TrialOutline] {
        var known: [String: [TrialOutline]] = [:]
        return schedules.map { schedule in
            if let fitting = known[schedule.plan]?.last(where: { $0.fits(schedule) }) {
                return fitting
            }
            let outline = TrialOutline(schedule)
            known[schedule.plan, default: []].append(outline)
            return outline
        }
    }
}

extension Schedule.Op {
    fileprivate func isSameBesidesOffset(_ other: Schedule.Op) -> Bool {
        id == other.id && actor == other.actor && step == other.step && args == other.args
            && tag == other.tag && anchor == other.anchor && gate == other.gate
            && connection == other.connection && cookies == other.cookies
    }
}
