internal import Rendering

/// An outage: the service responded for a while and then stopped. A verdict names it first, since all
/// later failures follow from it.
struct Silence: Hashable {
    /// The last second in which anything was answered.
    var second: Int
    /// Requests that came to their ends after it.
    var unanswered: Int
    /// The service is gone, not merely late with its last answers: whoever asked it afterwards was not
    /// answered either.
    var isOutage: Bool

    /// Fewer than that are bad luck.
    private static let least = 3

    /// Nil where the service answered to the end, or never.
    init?(_ rows: [TimelineRow]) {
        let requests = rows.filter { !$0.operation.isOfConnection }
        guard let last = requests.last(where: { $0.completed > 0 })?.second else { return nil }
        second = last
        unanswered = requests.filter { $0.second > last }.reduce(0) { $0 + $1.errors }
        isOutage = requests.filter { $0.second > last }.reduce(0) { $0 + $1.sent } >= Self.least
        guard unanswered >= Self.least else { return nil }
    }

    var sentence: String {
        "the service stopped responding at second \(Figures.count(second)): none of "
            + "\(Figures.counted(unanswered, "request")) after that got a response"
    }
}
