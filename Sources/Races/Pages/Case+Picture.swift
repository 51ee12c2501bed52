internal import Checker
internal import Dialects
internal import Statistics

/// A case as a page that can be sent around: `cases/NAME.html` beside the JSON.
extension Case {
    /// One self-contained HTML file; `file` is what a reader would type after `replay`.
    public func page(replaying file: String) -> String { picture(file).html }

    private func picture(_ file: String) -> CasePicture {
        let offset = swept.flatMap { schedule[op: $0]?.offset }
        var picture = CasePicture(
            name: name, made: made, version: version, target: target.name,
            invariant: expected.invariant.name, sentence: expected.sentence,
            command: "screenrig replay \(file)\(target.isInProcess ? " --virtual" : "")",
            hits: evidence.map { Self.share($0.rate) },
            window: evidence?.window.map {
                CasePicture.Window(low: $0.low.milliseconds, high: $0.high.milliseconds)
            }, windowText: evidence?.windowText ?? "not measured yet",
            best: offset?.milliseconds, swept: swept ?? "", isMinimal: isMinimal,
            curve: evidence?.curve.map {
                CasePicture.Point(offset: $0.offset.milliseconds, share: Self.share($0.rate))
            } ?? [],
            ops: schedule.ops.map(row), entries: trial?.pictured(schedule, pair: conflict) ?? [],
            startedMicroseconds: trial?.startedMicroseconds ?? 0,
            almost: almost.map {
                CasePicture.Almost(
                    without: $0.without, rate: "\($0.rate.hits) of \($0.rate.trials)",
                    note: $0.note)
            }, controls: controlRows,
            alternatives: alternatives.map { ($0.explanation, $0.ruledOutBy) }, facts: facts)
        picture.prefixes = prefixes.map { .init(op: $0.op, share: Self.share($0.rate)) }
        picture.decisive = decisive ?? ""
        return picture
    }

    private static func share(_ rate: HitRate) -> CasePicture.Share {
        let interval = Interval.exactShare(of: rate.hits, in: rate.trials)
        return CasePicture.Share(
            hits: rate.hits, trials: rate.trials, low: interval.low, high: interval.high)
    }

    private func row(_ op: Schedule.Op) -> CasePicture.Row {
        let args = op.args.map { "\($0.name) \($0.value)" } + (op.tag.map { [$0] } ?? [])
        let how =
            switch op.gate {
            case .none: "as a whole"
            case .lastByte: "last byte held back"
            case .group: "sent in one write with the others"
            }
        return CasePicture.Row(
            id: op.id, actor: op.actor,
            step: ([op.step.rawValue] + args).joined(separator: ", "), when: Self.when(op),
            how: "\(how), \(op.connection == .fresh ? "new connection" : "kept connection")")
    }

    static func when(_ op: Schedule.Op) -> String {
        guard let anchor = op.anchor else { return "in sequence" }
        let event =
            switch anchor.event {
            case .lastByteSent: "\(anchor.op) is sent"
            case .firstReplyByte: "\(anchor.op) is answered"
            case .absolute: "\(anchor.op) expires"
            }
        if op.offset == .zero { return "when \(event)" }
        let size = Offsets.text(op.offset.magnitude).dropFirst()
        return op.offset < .zero ? "\(size) before \(event)" : "\(size) after \(event)"
    }

    private var controlRows: [CasePicture.Control] {
        func row(_ name: String, _ arm: Arm?) -> CasePicture.Control? {
            guard let arm else { return nil }
            return CasePicture.Control(
                name: name, rate: "\(arm.rate.hits) of \(arm.rate.trials)",
                fisher: Self.exponent(arm.fisher))
        }
        let outside = controls.outside.map {
            row("the same schedule outside the window, at \(Offsets.text($0.offset))", $0)
        }
        let latency =
            controls.latency.map { ", responding after \(Offsets.text($0).dropFirst())" } ?? ""
        let clean = row("the same schedule on a stand-in without faults\(latency)", controls.clean)
        return [outside ?? nil, clean].compactMap(\.self)
    }

    private var facts: [(name: String, value: String)] {
        var facts = [
            ("Target", target.name), ("Protocol", target.protocolName), ("Server", target.server),
            ("Server's clock", target.date), ("Policies", policies.joined(separator: ", ")),
            ("Rate limits", throttle), ("Rig", rig.name), ("Seed", String(seed)),
            ("screenrig", version), ("Signature", expected.signature),
        ]
        if let path {
            facts.append(
                (
                    "Through",
                    "\(path.via); the delay varies by \(Offsets.text(path.width).dropFirst())"
                ))
        }
        if let evidence {
            facts.append(("Found by", evidence.method))
            if let achieved = evidence.achieved {
                facts.append(
                    (
                        "Achieved offsets",
                        "p10 \(Offsets.text(achieved.p10)), p50 \(Offsets.text(achieved.p50)), "
                            + "p90 \(Offsets.text(achieved.p90))"
                    ))
            }
        }
        if !removed.isEmpty {
            facts.append(
                (
                    "Removed by shrinking",
                    removed.joined(
                        separator: "; "
                            + "")
                ))
        }
        return facts.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }
}

extension Case.Target {
    /// It was found in virtual time.
    public var isInProcess: Bool { name.hasPrefix("embedded (in process)") }
}

extension Case.Trial {
    fileprivate func pictured(
        _ schedule: Schedule, pair: (first: Case.Entry, second: Case.Entry)?
    ) -> [CasePicture.Entry] {
        let homes = Set(schedule.actors.map(\.household)).count
        return exchanges.map { entry in
            let isTold = homes == 1 || entry.actor.hasPrefix("other-")
            let lane = isTold ? entry.actor : "\(entry.actor) (\(entry.household + 1))"
            return CasePicture.Entry(
                lane: lane, name: "\(entry.operation.name) #\(entry.sequence)",
                begun: entry.begun, sent: entry.sent, firstByte: entry.firstByte,
                ended: entry.ended, isOpen: entry.isOpen, status: entry.status,
                answer: entry.answer, belief: entry.belief, isConflict: entry.isConflict,
                isEnd: entry == pair?.first || entry == pair?.second,
                sentUTC: utc(entry.sent), serverDate: entry.serverDate,
                requestID: entry.requestID)
        }
    }
}

extension Duration {
    var milliseconds: Double { Double(inNanoseconds) / 1e6 }
}
