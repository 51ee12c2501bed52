/// I3, I5: what a TV saw, against what it sees later.
extension HouseholdState {
    /// Whether a read can come after those that returned before it was sent: from one answer to
    /// another that contradicts it something must have happened, and everything that can have is
    /// known.
    mutating func compare(_ read: TokenRead) {
        let sent = read.beat.call - registry.visibility
        noteLook(read.beat)
        if reads.contains(where: {
            $0.value != 0 && $0.beat.ret < sent && $0.scope.isSame(as: read.scope)
        }) {
            check(.tokenMonotonic)
            if let profiles { countProfile(read, before: sent, profiles) }
        }
        if isSettled(read, sent) { return keep(read) }
        // The latest first: it leaves the least time for a cause.
        var last: Int?
        while let position = contradiction(of: read, before: sent, after: last) {
            let earlier = reads[position]
            let isExplained =
                read.value == 0
                ? judgeVanished(read, earlier) : judgeAppeared(read, earlier)
            if !isExplained { break }
            last = position
        }
        keep(read)
    }

    /// Whether nothing contradicts it, or an answer before this one, that showed the same, was held
    /// against all that does (`judgeAppeared`): so it is with nearly every read.
    private func isSettled(_ read: TokenRead, _ sent: Int64) -> Bool {
        var contradicted = Int64.min
        var same = Int64.min
        for position in reads.indices where reads[position].scope.isSame(as: read.scope) {
            let (value, beat) = (reads[position].value, reads[position].beat)
            if value == read.value {
                if value != 0, beat.ret < read.beat.call { same = max(same, beat.call) }
            } else if beat.ret < sent, reads[position].contradicts(read) {
                contradicted = max(contradicted, beat.ret)
            }
        }
        return contradicted == .min || same > contradicted
    }

    /// The read that was called last, of those that contradict this one and returned before `time`;
    /// `after` one of them, the next of them.
    private func contradiction(of read: TokenRead, before time: Int64, after last: Int?) -> Int? {
        var found: Int?
        for position in reads.indices
        where reads[position].contradicts(read) && reads[position].beat.ret < time {
            let call = reads[position].beat.call
            if let last, (-call, position) <= (-reads[last].beat.call, last) { continue }
            if let found, call <= reads[found].beat.call { continue }
            found = position
        }
        return found
    }

    /// The latest two of each value are enough: what excludes an older one excludes these.
    mutating func keep(_ read: TokenRead) {
        var same = 0
        var oldest = 0
        var oldestCall = Int64.max
        for position in reads.indices
        where reads[position].value == read.value && reads[position].scope.isSame(as: read.scope) {
            same += 1
            let call = reads[position].beat.call
            if call < oldestCall { (oldest, oldestCall) = (position, call) }
        }
        if same < 2 {
            reads.append(read)
        } else if oldestCall < read.beat.call {
            reads[oldest] = read
        }
    }

    /// There, then not there: signed out, run out, or a breach. True when it may be right.
    private mutating func judgeVanished(_ read: TokenRead, _ earlier: TokenRead) -> Bool {
        // The answer that is wrong is the earlier one (`judgeLogout`).
        if logout(before: earlier.beat, earlier.value, at: earlier.scope.slot) != nil {
            return true
        }
        let since = earlier.beat.call - registry.visibility
        var denied: CompactOperation?
        for position in signOuts.indices
        where signOuts[position].call <= read.beat.ret && signOuts[position].ret >= since
            && signOuts[position].ends(earlier.scope.slot)
        {
            let out = signOuts[position]
            if out.effect != .denied { return true }
            denied = denied ?? out.beat
        }
        if read.scope.life >= 0, isReplaced(earlier, by: read.beat.ret) { return true }
        let gap = read.beat.call - earlier.beat.ret
        if let denied {
            let text =
                "\(read.beat.name) returned no sign-in \(milliseconds(gap)) after \(earlier.beat.name) "
                + "had returned one; the only sign-out in between, \(denied.name), was rejected"
            accuse(
                violation(
                    .errorsHaveNoEffect, .certain, [earlier.beat, denied, read.beat], gap: gap, text
                ))
            return false
        }
        if mayHaveExpired(earlier.value, by: read.beat.ret, at: earlier.scope.slot) { return true }
        if judgeEarlyEnd(read, earlier) { return false }
        if let profiles {
            let found = vanished(read, earlier, profiles, gap)
            if found.invariant == .codeBindsDevice {
                keep(unbound: ProfileBook.UnboundProfile(read: read, earlier: earlier, gap: gap))
            } else {
                accuse(found)
            }
            return false
        }
        let text =
            "\(read.beat.name) returned \"not signed in\", \(milliseconds(gap)) after "
            + "\(earlier.beat.name) had returned a sign-in; nothing this household did in between ended it"
        accuse(violation(.tokenMonotonic, .certain, [earlier.beat, read.beat], gap: gap, text))
        return false
    }

    /// Not there (or another), then there: some sign-in must have come between.
    private mutating func judgeAppeared(_ read: TokenRead, _ earlier: TokenRead) -> Bool {
        guard let any = lastWriter(of: read.value, by: read.beat.ret, at: read.scope.slot) else {
            return true
        }
        guard any.ret < earlier.beat.call - registry.visibility else { return true }
        var last = any
        if read.scope.life >= 0 {
            // Who signed in by another code may show by this one as well (rest-v2.md, B45).
            guard
                let own = lastWriter(
                    of: read.value, by: read.beat.ret, life: Int(read.scope.life),
                    at: read.scope.slot)
            else { return true }
            last = own
        }
        if profiles == nil, isFromBefore(read.value) { return true }
        // An answer before this one was held against that already.
        if reads.contains(where: {
            $0.value == read.value && $0.beat.call > earlier.beat.ret
                && $0.beat.ret < read.beat.call && $0.scope.isSame(as: read.scope)
        }) {
            return false
        }
        if last.effect == .doubtful,
            let denied = attempts.last(where: {
                !$0.isCandidate && $0.beat.call <= read.beat.ret
                    && (read.value == TokenRead.somebody || $0.tag == read.value - 1)
            })
        {
            // One came back with an error, the other was refused: the refused one is nearer.
            judgeError(read.beat, denied)
            return false
        }
        let wasSeen =
            reads.contains {
                $0.value != 0 && $0.scope.isSame(as: read.scope) && !$0.contradicts(read)
                    && $0.beat.ret < earlier.beat.call && $0.beat.ret >= last.call
            }
            || read.value == TokenRead.somebody
                && faces.contains {
                    $0.source == .token && !$0.isForeign && $0.first.ret < earlier.beat.call
                        && $0.first.ret >= last.call
                }
        let gap = earlier.beat.call - last.ret
        if earlier.value == 0, !wasSeen {
            if isLeftOpen(last) { return true }
            let text =
                "\(earlier.beat.name), sent \(milliseconds(gap)) after the response to \(last.name), "
                + "returned \"not yet\"; \(read.beat.name) then returned that sign-in"
            accuse(
                violation(
                    .signInVisible, .certain, [last, earlier.beat, read.beat], gap: gap, text))
            return false
        }
        let text =
            earlier.value == 0
            ? "\(read.beat.name) returned a sign-in that \(earlier.beat.name) had reported as "
                + "gone; there was no sign-in in between"
            : "\(read.beat.name) returned another sign-in than \(earlier.beat.name), "
                + "\(milliseconds(read.beat.call - earlier.beat.ret)) before; there was no sign-in "
                + "in between"
        accuse(
            violation(
                .tokenMonotonic, .certain, [last, earlier.beat, read.beat],
                gap: read.beat.call - earlier.beat.ret, text))
        return false
    }
}
