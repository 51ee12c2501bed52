internal import Dialects
internal import Vocabulary

/// Profiles that answers do not show, though they could be there: never yet, or no more (I5, I21 to I24).
extension HouseholdState {
    mutating func judgeMissing(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        guard operation.screen == 0 else { return }
        if operation.operation == .profiles, operation.effect == .absent || !answer.shown.isEmpty {
            book.noteList(answer.shown.map(\.mvpd), at: beat.ret)
            if answer.subject != 0, answer.shown.isEmpty {
                registry.identities.noteEmpty(answer.subject, at: 0, time: beat.ret)
            }
        }
        if operation.operation == .profilesByCode {
            guard operation.effect == .absent, let life = life(of: operation),
                !book.given.contains(life), life <= Int(Int16.max)
            else { return }
            return judgeAbsence(beat, SignInScope(life: Int16(life)))
        }
        let missing = judgeAbsences(operation, beat, answer, book)
        for slot in missing where answer.subject != 0 {
            registry.identities.noteEmpty(
                answer.subject, at: book.mark(of: slot), time: beat.ret)
        }
    }

    /// The providers of whose own profiles an answer says that they are not there, when those and the partners' are judged.
    mutating func judgeAbsences(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) -> [UInt8] {
        for slot in missingPartners(operation, answer, book) {
            judgeAbsence(beat, SignInScope(slot: slot))
        }
        let missing = missing(operation, answer, book)
        for slot in missing {
            judgeAbsence(beat, SignInScope(slot: slot))
            book.noteEmpty(slot, at: beat.ret)
        }
        return missing
    }

    /// Whether somebody may have signed in since by another code, whose profile an older code shows or does
    /// not (B45).
    func isReplaced(_ earlier: TokenRead, by time: Int64) -> Bool {
        attempts.contains {
            $0.isCandidate && $0.life != Int(earlier.scope.life) && $0.beat.call <= time
                && $0.beat.ret >= earlier.beat.call - registry.visibility
                && isOf($0.tag, earlier.scope.slot)
        }
    }

    /// A profile was there and is not: which promise that breaks (I5, I21 to I24).
    func vanished(
        _ read: TokenRead, _ earlier: TokenRead, _ book: ProfileBook, _ gap: Int64
    ) -> Violation {
        let slot = earlier.scope.slot
        let said =
            "\(read.beat.name) returned no profile, \(milliseconds(gap)) after "
            + "\(earlier.beat.name) had returned one"
        func found(
            _ invariant: Invariant, _ evidence: [CompactOperation], _ text: String
        ) -> Violation {
            violation(invariant, .certain, evidence, gap: gap, text)
        }
        if earlier.beat.operation == .createSession {
            return found(
                .actionTrue, [earlier.beat, read.beat],
                "\(read.beat.name) returned no profile, \(milliseconds(gap)) after "
                    + "\(earlier.beat.name) had returned \"authorize\" (authenticated)")
        }
        if let other = elsewhere(slot, since: earlier.beat, by: read.beat.ret) {
            return found(
                .providerIndependence, [earlier.beat, other, read.beat],
                said + "; in between only another provider's changed (\(other.name))")
        }
        if read.scope.life < 0, let resumed = takeover(earlier, book) {
            return found(
                .codeBindsDevice, [resumed, earlier.beat, read.beat],
                said + " for its code: the profile is not this device's, since "
                    + "\(resumed.name) completed the session, or another device ended it in between"
            )
        }
        if read.beat.operation != earlier.beat.operation {
            var one = found(
                .profileViewsAgree, [earlier.beat, read.beat],
                said + "; nothing this household did in between ended it")
            one.companions = [.tokenMonotonic]
            return one
        }
        return found(
            .tokenMonotonic, [earlier.beat, read.beat],
            said + "; nothing this household did in between ended it")
    }

    /// Whether a profile that its code showed, and the device's own look did not, is another device's is not known yet: what the
    /// device is given next may rest on it, and its code may show it no longer, either.
    mutating func keep(unbound one: ProfileBook.UnboundProfile) {
        profiles?.unbound.append(one)
        if profiles?.unbound.count ?? 0 >= Self.mostUnbound { settleUnbound() }
    }

    private static let mostUnbound = 64

    /// Says of those what is known by now, and then what was found since.
    mutating func settleUnbound() {
        guard let profiles, !profiles.unbound.isEmpty else { return }
        let (kept, later) = (profiles.unbound, profiles.behindUnbound)
        (profiles.unbound, profiles.behindUnbound) = ([], [])
        for one in kept { accuse(vanished(one.read, one.earlier, profiles, one.gap)) }
        for one in later { accuse(one) }
    }

    /// The same once an answer to the device itself tells whether it has a profile of its own there.
    mutating func settleUnbound(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer
    ) {
        guard let profiles, !profiles.unbound.isEmpty, operation.screen == 0 else { return }
        let isAboutIt =
            answer.subject == 0
            && profiles.unbound.contains { $0.earlier.scope.slot == operation.slot }
        let tells: Bool
        switch operation.step {
        case .preauthorize, .authorize:
            // Who is denied by the provider has a profile to be asked with.
            let isDenied = operation.effect == .denied && answer.reason == .deniedByProvider
            if isAboutIt, isDenied { noteOwn(operation, beat, profiles) }
            tells =
                isAboutIt
                && (isDenied || operation.effect == .unauthenticated
                    || isByProfile(operation, answer, profiles))
        case .logout: tells = isAboutIt && operation.effect == .success && answer.logout != nil
        case .issueCode:
            tells =
                isAboutIt
                && (answer.action == .authorizeSignedIn || answer.action == .authenticate)
        case .poll:
            let life = life(of: operation)
            tells =
                operation.effect == .absent
                && profiles.unbound.contains { Int($0.earlier.scope.life) == life }
        case .checkSignIn:
            tells = answer.shown.contains { shown in
                profiles.unbound.contains { $0.earlier.scope.slot == shown.slot }
            }
        default: tells = false
        }
        if tells || profiles.behindUnbound.count >= Self.mostUnbound { settleUnbound() }
    }

    /// What an answer gave without an identity rests on a profile of the device's own: those of its logins there are no other
    /// device's. Not where a partner may have vouched for it, or it is from before the run.
    func noteOwn(_ operation: Observed, _ beat: CompactOperation, _ book: ProfileBook) {
        let slot = operation.slot
        guard !book.partnered.contains(slot), !mayBeFromBefore(slot, at: operation.call, book)
        else { return }
        for position in attempts.indices
        where attempts[position].isCandidate && attempts[position].beat.call <= beat.ret
            && attempts[position].tag != ModelOperation.none && isOf(attempts[position].tag, slot)
        {
            book.shownToDevice.insert(tags[Int(attempts[position].tag)].mark)
        }
    }

    /// Promises that a look at a profile could have broken that an answer before `time` had shown, by its absence
    /// (`vanished`).
    mutating func countProfile(_ read: TokenRead, before time: Int64, _ book: ProfileBook) {
        var last: TokenRead?
        var wasResumed = false
        for position in reads.indices
        where reads[position].value != 0 && reads[position].beat.ret < time
            && reads[position].scope.isSame(as: read.scope)
        {
            let earlier = reads[position]
            if earlier.beat.call >= last?.beat.call ?? .min { last = earlier }
            if read.scope.life < 0, resumed(earlier, book) != nil { wasResumed = true }
        }
        if wasResumed { check(.codeBindsDevice) }
        if let last, elsewhere(last.scope.slot, since: last.beat, by: read.beat.ret) != nil {
            check(.providerIndependence)
        }
    }

    /// Who completed the session of a profile that only its code ever showed, and not the device's own look;
    /// nil where the device was shown it, or completed the session itself.
    func takeover(_ read: TokenRead, _ book: ProfileBook) -> CompactOperation? {
        guard let resumed = resumed(read, book),
            // Its code does not show it any more either: the profile is no other device's.
            !reads.contains(where: {
                $0.value == 0 && Int($0.scope.life) == resumed.life
                    && $0.beat.call > read.beat.ret
            }), !book.shownToDevice.contains(tags[Int(read.value) - 1].mark)
        else { return nil }
        return resumed.beat
    }

    /// The same with the position of the code's life, whoever was shown the profile.
    private func resumed(
        _ read: TokenRead, _ book: ProfileBook
    ) -> (beat: CompactOperation, life: Int)? {
        guard read.beat.operation == .profilesByCode, read.value != 0,
            read.value != TokenRead.somebody
        else { return nil }
        // The last login is the one that is shown.
        let last = attempts.last {
            $0.isCandidate && $0.tag == read.value - 1 && $0.beat.call <= read.beat.ret
        }
        return last.flatMap { login in book.resumed[login.life].map { ($0, login.life) } }
    }

    /// A login or logout at another provider between the two.
    func elsewhere(
        _ slot: UInt8, since earlier: CompactOperation, by time: Int64
    ) -> CompactOperation? {
        let since = earlier.call - registry.visibility
        if let out = signOuts.last(where: {
            $0.effect != .denied && !$0.ends(slot) && $0.call <= time && $0.ret >= since
        }) {
            return out.beat
        }
        return attempts.last {
            $0.isCandidate && $0.tag != ModelOperation.none && !isOf($0.tag, slot)
                && $0.beat.call <= time && $0.beat.ret >= since
        }?.beat
    }
}
