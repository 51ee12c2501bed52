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

extension Syntax<[Rig.FaultTerms]> {
    /// `[noisy, {token-flap: {window: 30ms}}]`.
    static var faults: Syntax {
        .from(
            .list(
                .either(
                    .from(.scalar(.text)) { text, marks, _ in [.init(text, at: marks.place)] },
                    .from(.named(.named(.scalar(.text)))) { named, marks, _ in
                        zip(named, marks.items).map { entry, marks in
                            let pairs = entry.value.map { "\($0.name)=\($0.value)" }
                            let text = ([entry.name] + [pairs.joined(separator: ",")])
                                .filter { !$0.isEmpty }.joined(separator: ":")
                            return .init(text, at: marks.namePlace ?? marks.place)
                        }
                    }))
        ) { $0.flatMap { $0 } }
    }
}
