internal import Vocabulary

/// Permits that devices got after they had logged out under the identity that they named: right only if another
/// device of it had signed in there, which is known when the run is over (rest-v2.md § 8.2, step 9).
struct SharedPermits {
    struct Permit: Sendable {
        var violation: Violation
        var subject: UInt64
        var mvpd: UInt64
        /// When the permit returned.
        var ret: Int64
    }

    private struct Login {
        var household: Int
        var mvpd: UInt64
        var call: Int64
    }

    private var permits: [Permit] = []
    private var logins: [UInt64: [Login]] = [:]

    mutating func add(_ permit: Permit) { permits.append(permit) }

    mutating func add(
        login beat: CompactOperation, of household: Int, at mvpd: UInt64, under subjects: [UInt64]
    ) {
        for subject in subjects {
            logins[subject, default: []].append(
                Login(household: household, mvpd: mvpd, call: beat.call))
        }
    }

    /// Those that no other device's login explains: the first of each household, in the order of the answers.
    func unexplained(_ bounds: ClockBounds) -> [Violation] {
        var accused: Set<Int> = []
        return permits.filter { permit in
            !(logins[permit.subject] ?? []).contains { login in
                let household = permit.violation.household
                let slack = bounds.between(household, permit.ret, login.household, login.call)
                return login.household != household && login.mvpd == permit.mvpd
                    && login.call <= permit.ret.plus(slack)
            }
        }
        .map(\.violation).sorted { ($0.at, $0.household) < ($1.at, $1.household) }
        .filter { accused.insert($0.household).inserted }
    }
}

extension HouseholdState {
    /// I10, `logout-final`: a permit to who names an identity, after this device has logged out there under the same
    /// one. Kept until it is known what the others did.
    func judgePermit(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        let slot = operation.slot
        guard answer.subject != 0, slot > 0, answer.source == .provider, book.permits.count < 8,
            !book.partnered.contains(slot), !mayBeFromBefore(slot, at: operation.call, book)
        else { return }
        let sent = beat.call - registry.visibility
        guard
            let out = signOuts.last(where: {
                $0.effect == .success && $0.slot == slot && $0.ret < sent
                    && book.identityLogouts[$0.beat.sequence] == answer.subject
            })?.beat,
            !attempts.contains(where: {
                $0.isCandidate && isOf($0.tag, slot) && $0.beat.call <= beat.ret
                    && $0.beat.ret >= out.call - registry.visibility
            })
        else { return }
        let gap = beat.call - out.ret
        let text =
            "\(beat.name) still permitted playback \(milliseconds(gap)) after \(out.name) had logged out under "
            + "the same identity; no device of it had signed in there since"
        book.permits.append(
            SharedPermits.Permit(
                violation: violation(.logoutFinal, .certain, [out, beat], gap: gap, text),
                subject: answer.subject, mvpd: book.mark(of: slot), ret: beat.ret))
    }

    /// What the permits of all devices need of this one.
    func tellPermits(_ book: ProfileBook) {
        for permit in book.permits { registry.permits.add(permit) }
        guard !book.subjects.isEmpty else { return }
        for position in attempts.indices where attempts[position].isCandidate {
            let tag = attempts[position].tag
            guard tag != ModelOperation.none else { continue }
            registry.permits.add(
                login: attempts[position].beat, of: household, at: tags[Int(tag)].mvpd,
                under: book.subjects)
        }
    }
}

extension SharedState {
    func settlePermits() {
        for violation in permits.unexplained(bounds) { _ = add(violation) }
    }
}
