internal import Journal

extension ServiceSettings {
    /// A provider that is stood in for (rest-v2.md § 10): a programmer's order for the time in which it
    /// does not answer.
    public struct Degradation: Hashable, Sendable {
        public enum Rule: String, CaseIterable, Sendable {
            /// Everybody counts as signed in.
            case authNAll = "AuthNAll"
            /// Everything is permitted.
            case authZAll = "AuthZAll"
            /// Nothing is.
            case authZNone = "AuthZNone"
        }

        public var mvpd: String
        public var rule: Rule
        /// From the start of the service.
        public var from: Duration
        public var until: Duration
        /// What a denial says.
        public var message: String?

        public init(
            mvpd: String, rule: Rule, from: Duration = .zero, until: Duration,
            message: String? = nil
        ) {
            self.mvpd = mvpd
            self.rule = rule
            self.from = from
            self.until = until
            self.message = message
        }
    }
}

/// The rules that stand, by the service's clock (rest-v2.md § 10).
struct Degradations: Sendable {
    typealias Rule = ServiceSettings.Degradation.Rule

    /// Times are epoch milliseconds.
    struct Order: Sendable, Hashable {
        /// Nil: every one.
        var requestor: String?
        var mvpd: String
        var rule: Rule
        var from: Int64
        var until: Int64
        var message: String?
    }

    private(set) var orders: [Order]
    /// For faults: for how long rules outlive their end, in milliseconds.
    var overrun: Int64 = 0

    init(_ settings: [ServiceSettings.Degradation], epoch: Int64) {
        orders = settings.map {
            Order(
                mvpd: $0.mvpd, rule: $0.rule, from: epoch + $0.from.wholeMilliseconds,
                until: epoch + $0.until.wholeMilliseconds, message: $0.message)
        }
    }

    /// The order of that rule that stands for a provider; nil when there is none.
    func order(_ rule: Rule, _ requestor: String, _ mvpd: String, at time: Int64) -> Order? {
        guard !orders.isEmpty else { return nil }
        return orders.first {
            $0.rule == rule && $0.mvpd == mvpd && ($0.requestor ?? requestor) == requestor
                && time >= $0.from && time < $0.until + overrun
        }
    }

    /// One that is over already ends the others of its rule and provider.
    mutating func add(_ order: Order, at time: Int64) {
        if order.until <= time {
            orders.removeAll {
                $0.mvpd == order.mvpd && $0.rule == order.rule && $0.requestor == order.requestor
            }
        } else {
            orders.append(order)
        }
    }
}
