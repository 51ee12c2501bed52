public import Dialects

extension Rig {
    /// Which breaches of the service's promises may fail a run (rigs/reference.yaml, `promises`).
    public struct Promises: Sendable, Hashable {
        public enum Level: String, Sendable, CaseIterable {
            case strict, documented, observe
        }

        /// Nil: strict for the embedded target, else documented.
        public var level: Level?
        /// By the names of invariants.
        public var overrides: [String: Level]

        public init(_ level: Level? = nil, overrides: [String: Level] = [:]) {
            self.level = level
            self.overrides = overrides
        }
    }

    /// A breach that is accepted for now (rigs/reference.yaml, `known`).
    public struct Known: Sendable, Hashable {
        /// Name of the invariant.
        public var invariant: String
        public var operation: OperationName?
        public var ticket: String
        /// `2026-12-15`; nil: for ever.
        public var until: String?

        public init(
            invariant: String, operation: OperationName? = nil, ticket: String,
            until: String? = nil
        ) {
            self.invariant = invariant
            self.operation = operation
            self.ticket = ticket
            self.until = until
        }
    }
}
