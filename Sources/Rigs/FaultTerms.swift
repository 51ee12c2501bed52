extension Rig {
    /// A fault of the embedded stand-in, as the rig spells it. Whether there is such a fault is for
    /// the stand-in to say: this module does not know it.
    public struct FaultTerms: Sendable, Hashable {
        /// `NAME` or `NAME:key=value,…`.
        public var text: String
        public var place: Place

        public init(_ text: String, at place: Place) {
            self.text = text
            self.place = place
        }
    }
}

extension RigAssembly {
    /// `faults: [noisy, {token-flap: {window: 30ms}}]`.
    mutating func faults(_ items: [Item], _ target: Target) -> [Rig.FaultTerms] {
        if let first = items.first, target.base != .embedded {
            refuse(
                first.place,
                "faults need the embedded stand-in, and this target is another service; remove "
                    + "'faults', write base: embedded, or run a stand-in with the fault "
                    + "(screenrig serve --fault NAME) and use it as the target")
        }
        return items.flatMap { item -> [Rig.FaultTerms] in
            if let text = item.value as? String { return [Rig.FaultTerms(text, at: item.place)] }
            let named = item.value as? [NamedItem] ?? []
            return named.map { entry in
                let parameters = entry.item.value as? [(String, String)] ?? []
                let pairs = parameters.map { "\($0)=\($1)" }.joined(separator: ",")
                return Rig.FaultTerms(
                    entry.name + (pairs.isEmpty ? "" : ":\(pairs)"), at: entry.namePlace)
            }
        }
    }
}
