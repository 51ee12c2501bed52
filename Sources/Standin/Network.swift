public import Statistics

/// What lies between devices and the service in virtual time.
public struct Network: Hashable, Sendable {
    /// One way, drawn anew for each direction of each exchange.
    public var latency: Distribution
    /// Share of requests, and of replies, that are lost: 0 to 1.
    public var loss: Double

    public init(latency: Distribution = .fixed(.milliseconds(2)), loss: Double = 0) {
        self.latency = latency
        self.loss = loss
    }
}
