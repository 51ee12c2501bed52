internal import Vocabulary

/// What is promised, and what is forgiven.
extension RigAssembly {
    /// The level, if the rig names one, and the levels of single invariants.
    func promises() -> (level: Promises.Level?, overrides: [Invariant: Promises.Level]) {
        if let word = rootItem("promises")?.value as? String {
            return (Promises.Level(rawValue: word), [:])
        }
        guard let section = rootItem("promises")?.value as? Section else { return (nil, [:]) }
        var level: Promises.Level?
        var overrides: [Invariant: Promises.Level] = [:]
        for (key, item) in section.items {
            guard let word = (item.value as? String).flatMap(Promises.Level.init) else { continue }
            if let invariant = Invariant(name: key) {
                overrides[invariant] = word
            } else {
                level = word
            }
        }
        return (level, overrides)
    }

    func known(_ items: [Item]) -> [KnownViolation] {
        items.compactMap { item in
            guard let section = item.value as? Section, section.isWhole,
                let invariant = Invariant(name: section.value("invariant"))
            else { return nil }
            let operation: String? = section.optional("operation")
            return KnownViolation(
                invariant: invariant,
                operation: operation.flatMap(OperationName.init(name:)),
                ticket: section.value("ticket"), until: section.optional("until"))
        }
    }
}
