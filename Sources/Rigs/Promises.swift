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

/// What is promised, and what is forgiven.
extension RigAssembly {
    func promises() -> Rig.Promises {
        if let word = rootItem("promises")?.value as? String {
            return Rig.Promises(Rig.Promises.Level(rawValue: word))
        }
        guard let section = rootItem("promises")?.value as? Section else { return Rig.Promises() }
        var promises = Rig.Promises()
        for (key, item) in section.items {
            guard let level = (item.value as? String).flatMap(Rig.Promises.Level.init) else {
                continue
            }
            if key == "level" { promises.level = level } else { promises.overrides[key] = level }
        }
        return promises
    }

    func known(_ items: [Item]) -> [Rig.Known] {
        items.compactMap { item in
            guard let section = item.value as? Section, section.isWhole else { return nil }
            let operation: String? = section.optional("operation")
            return Rig.Known(
                invariant: section.value("invariant"),
                operation: operation.flatMap(OperationName.init(name:)),
                ticket: section.value("ticket"), until: section.optional("until"))
        }
    }
}
