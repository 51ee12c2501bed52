public import Dialects

extension Rig {
    /// This rig for a race: households without end, as TVs with phones enough, on lanes that wake up
    /// exactly; everything about the target as it is.
    public func racing(phones: Int) -> Rig {
        var rig = self
        rig.load = .closed(households: 1, for: .seconds(1), settle: load.settle)
        rig.kinds = kinds.prefix(1).map { kind in
            var kind = kind
            if kind.firstScreen != .tvos { kind.device = .appleTV }
            kind.firstScreen = .tvos
            kind.secondScreens = phones
            kind.pass = nil
            kind.singleSignOn = nil
            kind.hasSecondViewer = 0
            return kind
        }
        rig.isPrecise = true
        rig.hurry()
        return rig
    }

    /// This rig with a kind that speaks a protocol before the others, if it has one: a race takes the first.
    public func led(by name: ProtocolName) -> Rig {
        var rig = self
        if let position = kinds.firstIndex(where: { protocolName(of: $0) == name }) {
            rig.kinds.insert(rig.kinds.remove(at: position), at: 0)
        }
        return rig
    }

    /// What the household of a race speaks.
    public var racedProtocol: ProtocolName {
        (kinds.first?.application ?? target.application).protocolName
    }
}
