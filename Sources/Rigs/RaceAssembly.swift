internal import Dialects

/// The race section of a rig.
extension RigAssembly {
    mutating func race(_ section: Section) -> RaceTerms {
        let offsets: ClosedRange<Duration> = section.value("offsets")
        let anchor: RaceTerms.RaceAnchor = Self.word("anchor", in: section)
        if section.isWhole, anchor == .firstReply, offsets.lowerBound < .zero {
            refuse(
                section.place(of: "offsets"),
                "with anchor: first-reply, offsets start at 0; write offsets: 0ms..200ms, or "
                    + "anchor: last-byte"
            )
        }
        let items: [Item] = section.value("plans")
        if section.isWhole, items.isEmpty {
            refuse(section.place(of: "plans"), "plans is empty; remove it to search all plans")
        }
        let time: Duration? = section.optional("for")
        if section.isWhole, time == .zero {
            refuse(section.place(of: "for"), "for is 0s; write for example 60s")
        }
        return RaceTerms(
            plans: items.compactMap { choice($0) }, offsets: offsets, anchor: anchor,
            perOffset: section.value("per-offset"), trials: section.optional("trials"),
            time: time, gate: Self.word("gate", in: section),
            isFresh: section.value("connection") == "fresh",
            dropsCookies: section.value("cookies") == "drop")
    }

    private mutating func choice(_ item: Item) -> RaceTerms.Choice? {
        if let name = item.value as? String { return .named(name) }
        guard let section = item.value as? Section, section.isWhole else { return nil }
        let named: [NamedItem] = section.value("actors")
        let actors = named.map { actor in
            RaceTerms.OwnPlan.RaceActor(
                name: actor.name,
                operations: (actor.item.value as? [Item] ?? []).compactMap(Self.operation))
        }
        for actor in named where !Self.isActor(actor.name) {
            refuse(
                actor.namePlace,
                "unknown actor '\(actor.name)'; actors are tv, phone, other-tv, other-phone, and "
                    + "further ones with a number: tv-2, phone-2")
        }
        let sweep: [Item] = section.value("sweep")
        let texts = sweep.compactMap { $0.value as? String }
        guard texts.count == 2, texts[0] != texts[1] else {
            refuse(
                section.place(of: "sweep"),
                "sweep must name two operations, such as [phone.authenticate, tv.poll-token]")
            return nil
        }
        let known = actors.flatMap { actor in
            actor.operations.map { (name: "\(actor.name).\($0.name)", step: $0.step) }
        }
        for (item, text) in zip(sweep, texts) { check(text, known.map(\.name), at: item.place) }
        for item in named.flatMap({ $0.item.value as? [Item] ?? [] }) {
            guard let section = item.value as? Section, section.isWhole else { continue }
            for (key, step) in [("code", "registration-code"), ("repeats", "authenticate")] {
                guard let text: String = section.optional(key) else { continue }
                check(
                    text, known.filter { $0.step == step }.map(\.name), at: section.place(of: key))
            }
        }
        return .own(
            RaceTerms.OwnPlan(
                name: section.value("name"), actors: actors, fixed: texts[0], moved: texts[1]))
    }

    private static func operation(_ item: Item) -> RaceTerms.OwnPlan.Operation? {
        if let step = item.value as? String { return .init(step: step) }
        guard let section = item.value as? Section, section.isWhole else { return nil }
        var operation = RaceTerms.OwnPlan.Operation(
            step: section.value("step"), as: section.optional("as"))
        operation.account = section.optional("account")
        operation.provider = section.optional("provider")
        operation.resource = section.optional("resource")
        operation.code = section.optional("code")
        operation.repeats = section.optional("repeats")
        return operation
    }

    /// A name must be that of an operation of the plan.
    private mutating func check(
        _ text: String, _ known: [String], at place: Place
    ) {
        guard !known.contains(text) else { return }
        let near = text.nearest(among: known).map { "; did you mean '\($0)'?" } ?? ""
        refuse(place, "no actor of this plan has the operation '\(text)'\(near)")
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
