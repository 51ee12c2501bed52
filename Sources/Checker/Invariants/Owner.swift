internal import Dialects

/// I6, I7, I13: one code, one sign-in, one token.
extension Dossier {
    func judgeOwner(_ operation: Observed, _ beat: Beat, _ value: UInt8) {
        let tag = value - 1
        if tags[Int(tag)].first == nil {
            judgeOneOwner(beat, tag)
            if writers(of: value, by: beat.ret).contains(where: \.isRetried) {
                registry.check(.retryOnce)
            }
        }
        guard operation.operation == .pollToken, operation.expires > 0 else { return }
        registry.check(.oneToken)
        let seen = tags[Int(tag)].expiries
        if seen.contains(where: { $0.expires == operation.expires }) { return }
        if seen.count < 8 { tags[Int(tag)].expiries.append((operation.expires, beat)) }
        if !seen.isEmpty { judgeOneToken(beat, tag, operation.expires) }
        if let window = registry.clock.window(of: operation.expires, at: now) {
            expire(tag: tag, window.low, window.high + registry.sweepLag)
        } else {
            // Nothing is known of the service's clock: it may be any time.
            expire(tag: tag, now, .max)
        }
    }

    /// `one-owner`: the TV's token shows two users within one life of a code (decisions.md, 1).
    private func judgeOneOwner(_ beat: Beat, _ tag: UInt8) {
        registry.check(.oneOwner)
        guard registry.rules.policies.codeReuse == .single,
            let life = onlyLife(of: tag, by: beat.ret)
        else { return }
        for (number, other) in tags.enumerated() where number != Int(tag) {
            guard let first = other.first, UInt8(number) != tag,
                onlyLife(of: UInt8(number), by: beat.ret) == life
            else { continue }
            let evidence = attempts.filter {
                $0.isCandidate && ($0.tag == tag || Int($0.tag) == number)
                    && $0.beat.call <= beat.ret
            }
            let text =
                "\(beat.name) showed \(tags[Int(tag)].text), \(first.name) had shown "
                + "\(other.text): code \(lives[life].text) was used for two sign-ins"
            accuse(
                violation(
                    .oneOwner, .certain, evidence.map(\.beat) + [first, beat],
                    gap: beat.call - first.ret, text))
            return
        }
    }

    /// The one code's life that all sign-ins as that user went by; nil where there is more than one.
    private func onlyLife(of tag: UInt8, by time: Int64) -> Int? {
        let lives = Set(writers(of: tag + 1, by: time).map(\.life))
        guard lives.count == 1, let life = lives.first, life >= 0 else { return nil }
        return life
    }

    /// `one-token`, `retry-once`: more tokens than sign-ins. Each sign-in makes one, with one
    /// expiry; sign-ins by one code are one.
    private func judgeOneToken(_ beat: Beat, _ tag: UInt8, _ expires: Int64) {
        let writers = writers(of: tag + 1, by: beat.ret)
        let isSingle = registry.rules.policies.codeReuse == .single
        let byCode = Set(writers.filter { $0.life >= 0 }.map(\.life)).count
        let elsewhere = writers.filter { $0.life < 0 }.count
        let before = tag == 0 && isPreSignedIn ? 1 : 0
        let possible = (isSingle ? byCode : writers.count - elsewhere) + elsewhere + before
        let seen = tags[Int(tag)].expiries
        guard seen.count > possible, let first = seen.first else { return }
        let apart = abs(expires - first.expires) &* 1_000_000
        let isShared = registry.isShared(tags[Int(tag)].mark)
        let certainty: Certainty =
            isShared ? .suspicion("several households use that account") : .certain
        if writers.count >= seen.count {
            let isRetry = writers.contains(where: \.isRetried)
            if !isRetry { registry.check(.oneOwner) }
            let text =
                "\(first.beat.name) and \(beat.name) showed sign-ins of \(tags[Int(tag)].text) that "
                + "end \(milliseconds(apart)) apart: "
                + (isRetry
                    ? "a sign-in that was tried again took effect twice"
                    : "one code was used for two sign-ins")
            accuse(
                violation(
                    isRetry ? .retryOnce : .oneOwner, certainty,
                    writers.map(\.beat) + [first.beat, beat], gap: beat.call - first.beat.ret, text)
            )
            return
        }
        let text =
            "\(first.beat.name) and \(beat.name) showed tokens of \(tags[Int(tag)].text) that end "
            + "\(milliseconds(apart)) apart; there was one sign-in"
        accuse(
            violation(
                .oneToken, certainty, writers.map(\.beat) + [first.beat, beat],
                gap: beat.call - first.beat.ret, text))
    }
}
