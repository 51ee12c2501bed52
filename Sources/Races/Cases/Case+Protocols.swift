public import Dialects
internal import Rigs

/// A case is of one protocol, and may be played in another one that has its steps.
extension Case {
    /// The protocol whose steps it has; of a run that spoke several, the one that has them all. Nil: none that
    /// this version speaks.
    public var spoken: ProtocolName? {
        let names = ProtocolName.names(joined: target.protocolName)
        let known = names.compactMap(ProtocolName.init(rawValue:))
        guard names.count > 1 else { return known.first }
        return known.first { name in
            schedule.ops.allSatisfy { $0.step.counterpart(in: name) == $0.step }
        }
    }

    /// It in the steps of a protocol. Throws why it cannot be played there.
    public func translated(to name: ProtocolName) throws(CaseError) -> Case {
        guard let spoken, spoken != name else { return self }
        switch schedule.spoken(in: name) {
        case .success(let schedule):
            var translated = self
            translated.schedule = schedule
            translated.target.protocolName = name.rawValue
            return translated
        case .failure(let lack):
            throw .otherProtocol(
                name: self.name, from: spoken.rawValue, to: name.rawValue, reason: lack.reason)
        }
    }
}
