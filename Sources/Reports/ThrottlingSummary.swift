internal import Checker
internal import Formats
internal import Journal
internal import Rendering
internal import Statistics

/// What the service throttled (429), by who shares a limit of requests, and what that did to sign-ins.
public struct ThrottlingSummary: Sendable, Hashable {
    /// Who has a limit: `home`, `device` (the TV, or the phones of a household taken together); `household` where it is
    /// not known by what the service throttles.
    public var limit: String
    /// Homes or households that started; nil of devices.
    public var limits: Int?
    /// Limits of which at least one request was throttled.
    public var throttled: Int
    /// Throttled requests, each try counted: all, and of a throttled limit.
    public var requests: Int
    public var p50: Int
    public var p95: Int
    public var max: Int
    /// First sign-ins of households, and those of them with a throttled request before the TV saw its token.
    public var signIns: Int
    public var delayed: Int
    /// Sign-ins without the viewer's own time: those, and the others.
    public var delayedTime: Spread?
    public var otherTime: Spread?

    /// `homes`, `devices` or `households`.
    private func plural(_ count: Int) -> String { Figures.counted(count, limit) }

    /// `52 requests of 8 of 8 homes, at most 9 of one; 8 of 8 sign-ins waited, with a median of 9.1 s instead of 2 s`.
    var sentence: String {
        let whole =
            limits.map { "\(Figures.count(throttled)) of \(plural($0))" } ?? plural(throttled)
        let times = [(delayedTime, otherTime)].compactMap { mine, others -> String? in
            guard let mine, let others else { return nil }
            return
                ", half of them in \(Figures.time(milliseconds: mine.p50)) or less; the others in "
                + Figures.time(milliseconds: others.p50)
        }
        return
            "\(Figures.counted(requests, "request")) of \(whole), at most \(Figures.count(max)) of one; "
            + "\(Figures.count(delayed)) of \(Figures.counted(signIns, "first sign-in")) had to wait"
            + times.joined()
    }

    var json: JSON {
        .members([
            ("limit", .string(limit)), ("limits", limits.map(JSON.integer) ?? .null),
            ("throttled", .integer(throttled)), ("requests", .integer(requests)),
            (
                "requestsPerLimit",
                .members([("p50", .integer(p50)), ("p95", .integer(p95)), ("max", .integer(max))])
            ),
            ("signIns", .integer(signIns)), ("delayed", .integer(delayed)),
            ("delayedSignInMs", Spread.json(delayedTime)),
            ("otherSignInMs", Spread.json(otherTime)),
        ])
    }
}

/// Folds households into that.
struct ThrottlingFold {
    private var households = 0
    /// Of households that had any.
    private var throttled: [Int: ThrottledRequests] = [:]
    private var signIns = 0
    private var delayed = Histogram()
    private var others = Histogram()
    private var delayedCount = 0

    mutating func add(_ household: HouseholdRecord) {
        guard let count = household.throttled else { return }
        households += 1
        if count.total > 0 { throttled[household.household] = count }
        guard household.hasSignedIn, household.fate != .preSignedIn else { return }
        signIns += 1
        if count.beforeSignIn > 0 { delayedCount += 1 }
        guard let time = household.signInService else { return }
        if count.beforeSignIn > 0 { delayed.record(time) } else { others.record(time) }
    }

    /// Nil where no household knows. `judging`: the rules in the history's header.
    func result(judging: [String]) -> ThrottlingSummary? {
        guard households > 0 else { return nil }
        let rules = judging.isEmpty ? nil : try? Rules(texts: judging)
        var counts: [Int] = []
        var limit = "household"
        var size = 1
        switch rules?.throttledBy {
        case .device?:
            limit = "device"
            counts = throttled.values.flatMap { [$0.firstScreen, $0.secondScreens] }.filter {
                $0 > 0
            }
        case .household?, .repeated?:
            (limit, size) = ("home", rules?.householdsOfHome ?? 1)
            fallthrough
        case .unknown?, .peer?, nil:
            var homes: [Int: Int] = [:]
            for (household, count) in throttled {
                homes[household / size, default: 0] += count.total
            }
            counts = Array(homes.values)
        }
        counts.sort()
        func at(_ share: Double) -> Int {
            counts.isEmpty ? 0 : counts[min(counts.count - 1, Int(Double(counts.count) * share))]
        }
        return ThrottlingSummary(
            limit: limit, limits: limit == "device" ? nil : (households + size - 1) / size,
            throttled: counts.count, requests: counts.reduce(0, +), p50: at(0.5), p95: at(0.95),
            max: counts.last ?? 0, signIns: signIns, delayed: delayedCount,
            delayedTime: Spread(delayed), otherTime: Spread(others))
    }
}
