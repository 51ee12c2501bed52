internal import Dialects
internal import Vocabulary

// What `target:` says to spare a service, and where it is.
extension RigAssembly {
    mutating func courtesy(_ section: Section, _ allow: [Item]) -> TargetLimits {
        var courtesy = TargetLimits()
        courtesy.maxRate = section.optional("max-rate") ?? .usual
        if let breaker = section.items["breaker"]?.value as? Section {
            courtesy.breaker = .at(self.breaker(breaker))
        } else if section.items["breaker"] != nil {
            courtesy.breaker = .none
        }
        for case let host as Section in allow.map(\.value) {
            guard let rate: Rate = host.optional("max-rate") else { continue }
            if rate.perSecond == 0 {
                refuse(
                    host.place(of: "max-rate"),
                    "max-rate is 0/s, which allows no request; remove the host from allow instead")
            } else {
                courtesy.hostRates.append(.init(host: host.value("host"), rate: rate))
            }
        }
        return courtesy
    }

    private mutating func breaker(_ section: Section) -> TargetLimits.BreakerLimits {
        let breaker = TargetLimits.BreakerLimits(
            errors: section.value("errors"), lasting: section.value("for"))
        if section.isWhole, breaker.errors == 1 {
            refuse(
                section.place(of: "errors"),
                "errors: 100% can never be exceeded; write 'breaker: none' to disable the breaker")
        }
        return breaker
    }

    mutating func pinned(_ section: Section) -> [PinnedHost] {
        let named: [NamedItem] = section.optional("resolve") ?? []
        var pinned: [PinnedHost] = []
        for entry in named {
            guard let host = (try? Scalar.host.parse(entry.name)) as? String else {
                refuse(
                    entry.namePlace,
                    "'\(entry.name)' is not \(Scalar.host.wanted); write the host as in "
                        + "target.base, without scheme and port")
                continue
            }
            let terms = entry.item.value as? Section
            let items = terms?.value("addresses") ?? entry.item.value as? [Item] ?? []
            let addresses = items.compactMap { $0.value as? String }
            guard !addresses.isEmpty else {
                // What was given may have been no address, which was said already.
                if section.isWhole {
                    refuse(entry.item.place, "'\(entry.name)' has no address; give at least one")
                }
                continue
            }
            let spread = (terms?.value("spread") as String?).flatMap(TransportOptions.Spread.init)
            pinned.append(
                PinnedHost(host: host, addresses: addresses, spread: spread ?? .household))
        }
        if case .url = section.value("proxy", as: TransportOptions.Proxy.self), !pinned.isEmpty {
            refuse(
                section.place(of: "resolve"),
                "'resolve' has no effect with a proxy, which resolves names itself; remove "
                    + "'resolve' or 'proxy'")
        }
        return pinned
    }

    /// A connection stays with its address, so who shares an address decides who may share a
    /// connection.
    mutating func checkSpread(_ connections: String, _ section: Section, _ pinned: [PinnedHost]) {
        guard section.isWhole, let several = pinned.first(where: { $0.addresses.count > 1 }) else {
            return
        }
        let place = section.place(of: "resolve")
        if pinned.contains(where: { $0.spread == .request && $0.addresses.count > 1 }),
            connections != "fresh"
        {
            refuse(
                place,
                "spread: request needs a new connection for each request; add 'connections: fresh'")
        } else if connections == "pooled" {
            refuse(
                place,
                "'connections: pooled' shares connections, so no household stays on one of the "
                    + "\(several.addresses.count) addresses of \(several.host); use per-device or "
                    + "fresh")
        }
    }
}
