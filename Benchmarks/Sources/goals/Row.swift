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
        /// Lines that stand between markers of the row's own name, where it has such.
        var page: [String] = []
    }

    enum Grade: String {
        case moonshot = "moonshot"
        case met = "must"
        case missed = "**missed**"
        /// Measured, and more rounds would have to say which.
        case undecided = "not decided"
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
            let order: [Grade] = [.moonshot, .met, .undecided, .missed, .unmeasured]
            return order[max(order.firstIndex(of: self)!, order.firstIndex(of: other)!)]
        }
    }
}
