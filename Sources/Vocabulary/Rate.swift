/// Requests, households or whatever comes, per second.
public struct Rate: Sendable, Hashable, Comparable {
    public var perSecond: Double

    public init(perSecond: Double) {
        self.perSecond = perSecond
    }

    public static func < (left: Rate, right: Rate) -> Bool { left.perSecond < right.perSecond }
}
