internal import Dialects

/// The race section of a rig.
extension RigAssembly {
    mutating func race(_ section: Section) -> RaceTerms {
        let offsets: ClosedRange<Duration> = section.value("offsets")
        let anchor: RaceTerms.Anchor = Self.word("anchor", in: section)
        if section.isWhole, anchor == .firstReply, offsets.lowerBound < .zero {
            refuse(
                section.place(of: "offsets"),
                "offsets from an answer on begin at 0; write offsets: 0ms..200ms, or anchor: last-byte"
            )
        }
        let items: [Item] = section.value("plans")
        if section.isWhole, items.isEmpty {
            refuse(section.place(of: "plans"), "plans is empty; leave it out for all of them")
        }
        let time: Duration = section.value("for")
        if section.isWhole, time == .zero {
            refuse(section.place(of: "for"), "for is no time at all; write for example 60s")
        }
        return RaceTerms(
            plans: items.compactMap { choice($0) }, offsets: offsets, anchor: anchor,
            perOffset: section.value("per-offset"), trials: section.value("trials"),
            time: time, gate: Self.word("gate", in: section),
            isFresh: section.value("connection") == "fresh",
            dropsCookies: section.value("cookies") == "drop")
    }

    private mutating func choice(_ item: Item) -> RaceTerms.Choice? {
        if let name = item.value as? String { return .named(name) }
        guard let section = item.value as? Section, section.isWhole else { return nil }
        let named: [NamedItem] = section.value("actors")
        let actors = named.map { actor in
            RaceTerms.OwnPlan.Actor(
                name: actor.name,
                operations: (actor.item.value as? [Item] ?? []).compactMap { $0.value as? String })
        }
        for actor in named where !Self.isActor(actor.name) {
            refuse(
                actor.namePlace,
                "'\(actor.name)' is no actor; there are tv, phone, other-tv and other-phone, and further "
                    + "ones with a number: tv-2, phone-2")
        }
        let sweep: [Item] = section.value("sweep")
        let texts = sweep.compactMap { $0.value as? String }
        guard texts.count == 2, texts[0] != texts[1] else {
            refuse(
                section.place(of: "sweep"),
                "sweep names two operations, such as [phone.authenticate, tv.poll-token]")
            return nil
        }
        let known = actors.flatMap { actor in actor.operations.map { "\(actor.name).\($0)" } }
        for (item, text) in zip(sweep, texts) where !known.contains(text) {
            let near = text.nearest(among: known).map { "; did you mean '\($0)'?" } ?? ""
            refuse(item.place, "no actor of this plan does '\(text)'\(near)")
        }
        return .own(
            RaceTerms.OwnPlan(
                name: section.value("name"), actors: actors, fixed: texts[0], moved: texts[1]))
    }

    /// `tv`, `phone-2`, `other-tv`.
    private static func isActor(_ name: String) -> Bool {
        var rest = name[...]
        if rest.hasPrefix("other-") { rest = rest.dropFirst(6) }
        let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, first == "tv" || first == "phone" else { return false }
        guard parts.count > 1 else { return true }
        return parts.count == 2 && (Int(parts[1]).map { (2...4).contains($0) } ?? false)
    }
}
