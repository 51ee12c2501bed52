internal import Journal
internal import Lanes

/// The gate: who goes when.
extension TrialRun {
    /// Two that are due so close together go in one turn of the lane.
    private static let together: Duration = .microseconds(2)
    /// From here on at the earliest, so that the first is as punctual as the rest.
    private static let lead: Duration = .microseconds(300)

    /// Releases a cluster whose requests are at the gate, and waits until all have ended.
    func release(_ cluster: Schedule.Cluster, after ripening: Duration) async {
        guard !isDiscarded else { return }
        guard let timeline = timeline(cluster, after: ripening) else { return }
        let timed = Set(timeline.map(\.position))
        await withTaskGroup { group in
            group.addTask { await self.conduct(timeline) }
            for position in cluster.members {
                group.addTask { await self.follow(position, isTimed: timed.contains(position)) }
            }
        }
    }

    private struct Due: Sendable {
        var position: Int
        var at: Instant
    }

    /// When each op is released whose time does not depend on a response. Nil if that is past already.
    private func timeline(_ cluster: Schedule.Cluster, after ripening: Duration) -> [Due]? {
        var offsets: [Int: Duration] = [cluster.head: .zero]
        // Anchors may stand after what depends on them.
        for _ in cluster.members {
            for position in cluster.members where offsets[position] == nil {
                guard let anchor = schedule.ops[position].anchor, anchor.event == .lastByteSent,
                    let other = schedule.ops.firstIndex(where: { $0.id == anchor.op }),
                    let base = offsets[other]
                else { continue }
                offsets[position] = base + schedule.ops[position].offset
            }
        }
        let earliest = offsets.values.min() ?? .zero
        var start = lane.now + ripening + Self.lead
        let head = schedule.ops[cluster.head]
        if let anchor = head.anchor, anchor.event == .absolute {
            guard let end = ends(ofCodeOf: anchor.op) else {
                give(up: .setupFailed(op: head.id, "'\(anchor.op)' issued no code"))
                return nil
            }
            let at = end + head.offset
            guard start <= at + earliest else {
                give(up: .setupFailed(op: head.id, "the code expired before the race"))
                return nil
            }
            start = at + earliest
            guard start - lane.now < patience else {
                give(up: .setupFailed(op: head.id, livesTooLong(start - lane.now)))
                return nil
            }
        }
        return offsets.map { Due(position: $0.key, at: start + ($0.value - earliest)) }
            .sorted { ($0.at, $0.position) < ($1.at, $1.position) }
    }

    /// Why this trial cannot wait for the code's end: a service does not keep a request open for so long.
    private func livesTooLong(_ left: Duration) -> String {
        let lives = "its code ends in \(left.components.seconds) s"
        let asked = schedule.codeLifetime.map {
            ", although a lifetime of \($0.components.seconds) s was asked for"
        }
        return lives + (asked ?? "")
            + "; a request is held back for less than target.timeout (\(patience.components.seconds) s)"
    }

    /// Lets go by the clock.
    private func conduct(_ timeline: [Due]) async {
        var rest = timeline[...]
        while let first = rest.first, !isDiscarded {
            do { try await lane.sleep(until: first.at) } catch { return give(up: .stopped) }
            let group = rest.prefix { $0.at - first.at <= Self.together }
            rest = rest.dropFirst(group.count)
            letGo(group.map(\.position))
        }
    }

    /// Several at once, in this order, within one turn.
    private func letGo(_ positions: [Int]) {
        var released: [HeldCall] = []
        for position in positions {
            if schedule.ops[position].step == .expire {
                ops[position].progress = .passed(lane.now)
            } else {
                let held = ops[position].progress.held
                ops[position].progress = .released(lane.now, held)
                if let held { released.append(held) }
            }
        }
        lane.release(released)
        for position in positions { wakeWaiters(of: position) }
    }

    /// One op, from its release to its response.
    private func follow(_ position: Int, isTimed: Bool) async {
        let op = schedule.ops[position]
        if let anchor = op.anchor, anchor.event == .firstReplyByte {
            guard await goOnAnswer(position, anchor) else { return await abandon(position) }
        } else if let anchor = op.anchor, !isTimed {
            guard await goOnRelease(position, anchor) else { return await abandon(position) }
        } else {
            // A waiter is woken when it is let go.
            while ops[position].progress.isBeforeRelease, !isDiscarded { await wait(for: position) }
            if ops[position].progress.isBeforeRelease { return await abandon(position) }
        }
        guard case .released(_, let held) = ops[position].progress else { return }
        if let held {
            take(await lane.answer(to: held), of: position)
            checkRaced(position, wasOver: held.isOver)
        } else if isDiscarded {
            return drop(position)
        } else {
            await send(position)
            checkRaced(position, wasOver: false)
        }
        await followDecision(position)
    }

    /// Nobody will release it any more, nor those that wait for its response. What is at the gate already
    /// is sent in the end, so its trial is inconclusive.
    private func abandon(_ position: Int) async {
        let held = ops[position].progress.held
        drop(position)
        guard let held else { return }
        give(
            up: .setupFailed(
                op: schedule.ops[position].id, "the operation before it was never answered"))
        lane.release([held])
        _ = await lane.answer(to: held)
    }

    /// Waits for the anchor's response, then for the offset, and lets go.
    private func goOnAnswer(_ position: Int, _ anchor: Schedule.Anchor) async -> Bool {
        guard let other = schedule.ops.firstIndex(where: { $0.id == anchor.op }) else {
            return false
        }
        while !ops[other].progress.isOver, !isDiscarded { await wait(for: other) }
        guard !isDiscarded, let exchange = ops[other].progress.answered?.exchange,
            let first = exchange.firstByte
        else { return false }
        guard await prepare(position) else { return false }
        return await letGo(position, at: first + schedule.ops[position].offset)
    }

    /// Depends on the last byte of an op that itself waits for a response: its release is not known
    /// before.
    private func goOnRelease(_ position: Int, _ anchor: Schedule.Anchor) async -> Bool {
        guard let other = schedule.ops.firstIndex(where: { $0.id == anchor.op }) else {
            return false
        }
        while ops[other].progress.isBeforeRelease, !isDiscarded { await wait(for: other) }
        guard !isDiscarded, let released = ops[other].progress.released else { return false }
        return await letGo(position, at: released + schedule.ops[position].offset)
    }

    private func letGo(_ position: Int, at due: Instant) async -> Bool {
        if due > lane.now {
            do { try await lane.sleep(until: due) } catch {
                give(up: .stopped)
                return false
            }
        }
        letGo([position])
        return true
    }

    private func wait(for position: Int) async {
        await withUnsafeContinuation { ops[position].waiters.append($0) }
    }

    /// What makes a trial inconclusive. `wasOver`: the request had ended before it was released.
    private func checkRaced(_ position: Int, wasOver: Bool) {
        let id = schedule.ops[position].id
        guard let exchange = ops[position].progress.answered?.exchange else { return }
        switch exchange.delivery {
        case .refused(let error) where error.kind == .stopped,
            .unknown(let error) where error.kind == .stopped:
            give(up: .stopped)
        case .refused(let error): give(up: .connectionFailed(op: id, error.detail))
        case .unknown(let error) where wasOver:
            give(up: .connectionFailed(op: id, error.detail))
        case .unknown: break
        case .answered:
            if wasOver || exchange.firstByte.map({ $0 < exchange.sent }) ?? false {
                give(up: .answeredEarly(op: id))
            } else if exchange.outcome == .throttled {
                give(up: .throttled(op: id))
            }
        }
    }
}
