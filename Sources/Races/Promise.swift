public import Vocabulary

/// A promise and whose it is. One invariant may be documented for one answer and a reading of ours for another: that the
/// second is broken does not show that the first is, and each has a window of its own.
public struct Promise: Sendable, Hashable, Comparable {
    public var invariant: Invariant
    public var source: PromiseSource

    /// `source`: nil is the invariant's usual one.
    public init(_ invariant: Invariant, _ source: PromiseSource? = nil) {
        self.invariant = invariant
        self.source = source ?? invariant.source
    }

    /// Whether what breaks this breaks the other as well: a documented promise is the least that a reading of ours of the
    /// same name asks for, and not the other way round.
    func covers(_ other: Promise) -> Bool {
        invariant == other.invariant && source.covers(other.source)
    }

    /// What is documented comes first among promises of one invariant.
    public static func < (left: Promise, right: Promise) -> Bool {
        (left.invariant, left.source.rank, left.source.rawValue)
            < (right.invariant, right.source.rank, right.source.rawValue)
    }
}

extension Promise: CustomStringConvertible {
    public var description: String { invariant.name }
}

extension PromiseSource {
    /// A documented promise is part of every expectation of the same name.
    func covers(_ other: PromiseSource) -> Bool { self == other || self == .documented }

    /// Documented promises come first.
    var rank: Int { self == .documented ? 0 : 1 }
}

extension RaceFinding {
    var promise: Promise { Promise(invariant, source) }
}

extension Breach {
    var promise: Promise { Promise(invariant, source) }
}

extension ArmPlan {
    var promise: Promise { Promise(invariant) }
}
