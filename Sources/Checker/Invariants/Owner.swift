/// I6, I7, I13: one code, one sign-in, one token.
extension HouseholdState {
    mutating func judgeOwner(_ operation: Observed, _ beat: CompactOperation, _ value: UInt8) {
        let tag = value - 1
        check(.oneOwner)
        let isRetried = attempts.contains {
            $0.tag == tag && $0.isRetried && $0.isCandidate && $0.beat.call <= beat.ret
        }
        if isRetried { check(.retryOnce) }
        if shown(tag) == nil { judgeOneOwner(beat, tag) }
        guard operation.operation.showsExpiry, operation.expires > 0 else { return }
        check(.oneToken)
        check(.profileNotProlonged)
        var seen = 0
        for position in tokens.indices where tokens[position].tag == tag {
            if registry.isOne(tokens[position].expires, operation.expires) {
                // What the TV was shown itself is the better evidence than what a phone was.
                if operation.screen == 0, tokens[position].beat.screen != 0 {
                    tokens[position].beat = beat
                }
                return
            }
            seen += 1
        }
        if seen < 8 {
            tokens.append(
                TokenSeen(
                    expires: operation.expires, beat: beat, tag: tag,
                    face: faceNumber(of: operation.tag))
            )
        }
        if seen > 0 { judgeOneToken(operation, beat, tag) }
        if let window = registry.clock.window(of: operation.expires, at: now) {
            expire(tag: tag, window.low, window.high + registry.sweepLag)
        } else {
            // Nothing is known of the service's clock: it may be any time.
            expire(tag: tag, now, .max)
        }
    }

    private func faceNumber(of user: UInt64) -> UInt8 {
        face(of: user).flatMap { UInt8(exactly: $0) } ?? ModelOperation.none
    }

    /// The user that an answer showed, by the face in it; `tag`: the account, where it had none.
    func name(of face: UInt8, as tag: UInt8) -> String {
        face == ModelOperation.none ? names[Int(tag)].text : faces[Int(face)].name.text
    }

    /// The first answer to the TV that showed that user, else one that a phone got by its code.
    private func shown(_ tag: UInt8) -> CompactOperation? {
        tags[Int(tag)].first ?? tokens.first { $0.tag == tag }?.beat
    }

    /// `one-owner`: two users are shown within one life of a code.
    private mutating func judgeOneOwner(_ beat: CompactOperation, _ tag: UInt8) {
        guard registry.codesServeOnce,
            let life = onlyLife(of: tag, by: beat.ret)
        else { return }
        for number in tags.indices where number != Int(tag) {
            guard let first = shown(UInt8(number)),
                onlyLife(of: UInt8(number), by: beat.ret) == life
            else { continue }
            let evidence = attempts.filter {
                $0.isCandidate && ($0.tag == tag || Int($0.tag) == number)
                    && $0.beat.call <= beat.ret
            }
            let text =
                "\(beat.name) returned \(names[Int(tag)].text), \(first.name) had returned "
                + "\(names[number].text): code \(lives[life].text) was used for two sign-ins"
            accuse(
                violation(
                    .oneOwner, .certain, evidence.map(\.beat) + [first, beat],
                    gap: beat.call - first.ret, text))
            return
        }
    }

    /// The one code's life that all sign-ins as that user went by; nil where there is more than one.
    private func onlyLife(of tag: UInt8, by time: Int64) -> Int? {
        var only: Int?
        for position in attempts.indices
        where attempts[position].tag == tag && attempts[position].isCandidate
            && attempts[position].beat.call <= time
        {
            if let only, only != attempts[position].life { return nil }
            only = attempts[position].life
        }
        return only.flatMap { $0 < 0 ? nil : $0 }
    }

    /// `retry-once`, as a suspicion: an exchange for a token that was tried again made two. Nothing
    /// tells the service that it is one intent, as a code does.
    private mutating func suspectRetry(
        _ beat: CompactOperation, _ user: String, _ first: TokenSeen, _ writers: [SignInAttempt]
    ) {
        let text =
            "\(first.beat.name) and \(beat.name) returned tokens of \(user) with "
            + "different expiries: a retried sign-in without a code took effect twice"
        accuse(
            violation(
                .retryOnce, .suspicion("the service may handle each request separately"),
                writers.map(\.beat) + [first.beat, beat], gap: beat.call - first.beat.ret, text))
    }

    /// `one-token`, `retry-once`: more tokens than sign-ins. Each sign-in makes one, with one
    /// expiry; sign-ins by one code are one.
    private mutating func judgeOneToken(
        _ operation: Observed, _ beat: CompactOperation, _ tag: UInt8
    ) {
        let expires = operation.expires
        let writers = writers(of: tag + 1, by: beat.ret)
        let isSingle = registry.codesServeOnce
        let byCode = Set(writers.filter { $0.life >= 0 }.map(\.life)).count
        let elsewhere = writers.filter { $0.life < 0 }.count
        let before = tag == 0 && isPreSignedIn ? 1 : 0
        let possible = (isSingle ? byCode : writers.count - elsewhere) + elsewhere + before
        let face = faceNumber(of: operation.tag)
        // Several users of one account are the ledger's to judge.
        let seen = tokens.filter { $0.tag == tag && $0.face == face }
        guard let first = seen.first else { return }
        let user = name(of: face, as: tag)
        guard seen.count > possible else {
            let repeated = writers.filter { $0.life < 0 && $0.isRetried }.count
            if seen.count > possible - repeated { suspectRetry(beat, user, first, writers) }
            return
        }
        let apart = distance(expires, first.expires)
        // Of several who have the account at once, another's token may have come here.
        let account = tags[Int(tag)].mark
        if writers.count >= seen.count {
            let isRetry = writers.contains(where: \.isRetried)
            let text =
                "\(first.beat.name) and \(beat.name) returned sign-ins of \(user) that "
                + "expire \(milliseconds(apart)) apart: "
                + (isRetry
                    ? "a retried sign-in took effect twice"
                    : "one code was used for two sign-ins")
            accuse(
                violation(
                    isRetry ? .retryOnce : .oneOwner, .certain,
                    writers.map(\.beat) + [first.beat, beat], gap: beat.call - first.beat.ret, text
                ), onAccount: account)
            return
        }
        if profiles != nil { return judgeProlonged(operation, beat, tag, seen) }
        let text =
            "\(first.beat.name) and \(beat.name) returned tokens of \(user) that expire "
            + "\(milliseconds(apart)) apart; there was only one sign-in"
        accuse(
            violation(
                .oneToken, .certain, writers.map(\.beat) + [first.beat, beat],
                gap: beat.call - first.beat.ret, text), onAccount: account)
    }
}
