internal import Vocabulary

/// What devices were shown and did under identities that several of them may have (rest-v2.md § 8): held
/// against each other when the run is over, for each household is judged at its own pace.
///
/// ```text
/// device 1   identity A   login as u at m                         logout at m
/// device 2   identity A                     shown u: it is A's                  shown u: after A's logout
/// device 3   identity B                     shown u: never B's
/// ```
struct IdentityLedger {
    /// A profile that an answer showed to who named an identity: by single sign-on, or the device's own.
    struct View {
        /// Marks of the identity, of the provider, and of the user there.
        var subject: UInt64
        var mvpd: UInt64
        var tag: UInt64
        var isOwn = false
        /// Its notBefore and notAfter, in epoch milliseconds of the service.
        var generated: Int64
        var expires: Int64
        var beat: CompactOperation
        var household: Int
    }

    struct Logout {
        var subject: UInt64
        var mvpd: UInt64
        var beat: CompactOperation
        var household: Int
        /// The service said that there was nothing to end.
        var endsNothing = false
    }

    /// A login by a device that showed that identity at some time.
    struct Login {
        var mvpd: UInt64
        var beat: CompactOperation
        var household: Int
        /// Whether it is known what the service calls its user.
        var isNamed: Bool
    }

    /// By identity.
    private var views: [UInt64: [View]] = [:]
    private var logouts: [UInt64: [Logout]] = [:]
    private var logins: [UInt64: [Login]] = [:]
    /// Identities under which a user signed in, by the user's mark.
    private var identities: [UInt64: Set<UInt64>] = [:]
    /// Profiles of devices' own logins, by the marks of user and notBefore.
    private var ownProfiles: Set<UInt64> = []
    /// Users that signed in without any.
    private var withoutIdentity: Set<UInt64> = []
    /// Identities of devices of which exchanges are missing: what they did is not known.
    private var incomplete: Set<UInt64> = []
    /// When an identity was first seen to have no profile at a provider (0: at all), by the two marks.
    private var empty: [UInt64: Int64] = [:]

    var isEmpty: Bool { views.isEmpty }

    /// In the order of the answers, however lanes interleaved.
    var allViews: [View] {
        views.values.joined().sorted {
            ($0.beat.ret, $0.household, $0.beat.sequence)
                < ($1.beat.ret, $1.household, $1.beat.sequence)
        }
    }

    mutating func add(_ view: View) { views[view.subject, default: []].append(view) }
    mutating func add(_ logout: Logout) { logouts[logout.subject, default: []].append(logout) }

    mutating func add(_ login: Login, under subject: UInt64) {
        logins[subject, default: []].append(login)
    }

    mutating func noteGap(under subjects: [UInt64]) { incomplete.formUnion(subjects) }

    /// A device that showed these identities has a profile of that user of its own.
    mutating func add(user tag: UInt64, under subjects: [UInt64]) {
        if subjects.isEmpty { withoutIdentity.insert(tag) }
        identities[tag, default: []].formUnion(subjects)
    }

    /// A device was shown a profile of its own.
    mutating func add(profileOf tag: UInt64, from generated: Int64) {
        ownProfiles.insert(Self.mark(tag, generated))
    }

    /// Whether it is the very profile that a login of this run made: one from before began before.
    func isOfLoginHere(_ view: View) -> Bool {
        ownProfiles.contains(Self.mark(view.tag, view.generated))
    }

    private static func mark(_ tag: UInt64, _ generated: Int64) -> UInt64 {
        tag &* 31 ^ UInt64(bitPattern: generated)
    }

    mutating func noteEmpty(_ subject: UInt64, at mvpd: UInt64, time: Int64) {
        let key = subject &* 31 ^ mvpd
        empty[key] = min(empty[key] ?? .max, time)
    }

    /// Whether the identity had no profile there at some time before: one from before the run shows as well.
    func wasEmpty(_ view: View, slack: Int64) -> Bool {
        let times = [view.subject &* 31 ^ view.mvpd, view.subject &* 31].compactMap { empty[$0] }
        return times.contains { $0.plus(slack) < view.beat.call }
    }

    /// Whether it is another identity's, or nobody's who has one: of a user who never signed in here nothing
    /// is known.
    func isAnothers(_ view: View) -> Bool {
        let known = identities[view.tag] ?? []
        guard !known.contains(view.subject) else { return false }
        return !known.isEmpty || withoutIdentity.contains(view.tag)
    }

    /// Whether that user signed in under one of these identities.
    func isUser(_ tag: UInt64, under subjects: [UInt64]) -> Bool {
        !(identities[tag] ?? []).isDisjoint(with: subjects)
    }

    /// Whether a login of that identity, whose user no answer named, may have made the view's user.
    func mayBeOwn(_ view: View) -> Bool {
        incomplete.contains(view.subject)
            || (logins[view.subject] ?? []).contains { $0.mvpd == view.mvpd && !$0.isNamed }
    }

    /// A logout of that identity there that was over before the view was asked for, with no login since that
    /// may be what it shows.
    func ending(_ view: View, visibility: Int64, _ bounds: ClockBounds) -> Logout? {
        func slack(_ household: Int, _ time: Int64) -> Int64 {
            bounds.between(view.household, view.beat.call, household, time)
        }
        let sent = view.beat.call - visibility
        let last = (logouts[view.subject] ?? []).filter {
            $0.mvpd == view.mvpd && $0.beat.effect == .success && !$0.endsNothing
                && $0.beat.ret.plus(slack($0.household, $0.beat.ret)) < sent
                && (!view.isOwn || isShared(view, with: $0, bounds))
        }.max { $0.beat.ret < $1.beat.ret }
        guard let last else { return nil }
        let isRenewed = (logins[view.subject] ?? []).contains { login in
            let out = bounds.between(
                last.household, last.beat.call, login.household, login.beat.ret)
            return login.mvpd == view.mvpd
                && login.beat.call
                    <= view.beat.ret.plus(slack(login.household, login.beat.call))
                && login.beat.ret.plus(out) >= last.beat.call - visibility
        }
        return isRenewed ? nil : last
    }

    /// Whether a device's own profile ends with that logout: who logged out was shown it by the identity, and
    /// nobody else had signed in under that.
    private func isShared(
        _ own: View, with logout: Logout, _ bounds: ClockBounds
    ) -> Bool {
        guard logout.household != own.household,
            (views[own.subject] ?? []).contains(where: {
                !$0.isOwn && $0.household == logout.household && $0.tag == own.tag
                    && $0.beat.ret < logout.beat.call
            })
        else { return false }
        return !(logins[own.subject] ?? []).contains {
            $0.mvpd == own.mvpd && $0.household != own.household
                && $0.beat.call
                    <= logout.beat.ret.plus(
                        bounds.between(
                            logout.household, logout.beat.ret, $0.household, $0.beat.call))
        }
    }

    /// Whether another household may have logged out under one of these identities between two instants.
    func hasLogout(
        under subjects: [UInt64], byOtherThan household: Int, from: Int64 = .min,
        before time: Int64, _ bounds: ClockBounds
    ) -> Bool {
        subjects.contains {
            (logouts[$0] ?? []).contains { logout in
                guard logout.household != household else { return false }
                let slack = bounds.between(
                    household, time, logout.household, logout.beat.call)
                return logout.beat.call <= time.plus(slack)
                    && logout.beat.ret.plus(slack) >= from
            }
        }
    }
}

extension HouseholdState {
    /// The household closes: by now it is known what the other devices of its identities did until then.
    /// True where one of them logged out, which explains whatever is missing here.
    mutating func settleIdentity() -> Bool {
        guard let book = profiles else { return false }
        book.isSettled = true
        let kept = book.takeKept()
        let isEnded = registry.identities.hasLogout(
            under: book.subjects, byOtherThan: household, before: now, registry.bounds)
        if isEnded { held = nil }
        if let late, isEndedElsewhere(late, book) { self.late = nil }
        for one in kept where !isEndedElsewhere(one.violation, book) { accuse(one) }
        return isEnded
    }

    /// Whether another device of one of its identities logged out between the first and the last of the
    /// contradicting responses.
    private func isEndedElsewhere(_ violation: Violation, _ book: ProfileBook) -> Bool {
        let conflict = violation.scene.filter(\.isConflict)
        let from = conflict.map(\.call).min() ?? .min
        return registry.identities.hasLogout(
            under: book.subjects, byOtherThan: household,
            from: from.plus(-registry.visibility),
            before: conflict.map(\.ret).max() ?? now, registry.bounds)
    }

    /// What the ledger of all devices needs of this one.
    mutating func tellIdentities() {
        guard let book = profiles else { return }
        if hasGap { registry.identities.noteGap(under: book.subjects) }
        for position in attempts.indices where attempts[position].isCandidate {
            let tag = attempts[position].tag
            guard tag != ModelOperation.none else { continue }
            let mvpd = tags[Int(tag)].mvpd
            if registry.knowsUsers {
                registry.identities.add(user: tags[Int(tag)].mark, under: book.subjects)
            }
            let login = IdentityLedger.Login(
                mvpd: mvpd, beat: attempts[position].beat, household: household,
                isNamed: registry.knowsUsers || isNamed(at: mvpd, book))
            for subject in book.subjects { registry.identities.add(login, under: subject) }
        }
        for user in Set(book.seen.map(\.tag)) {
            registry.identities.add(user: user, under: book.subjects)
        }
        for seen in book.seen where seen.kind == .regular {
            registry.identities.add(profileOf: seen.tag, from: seen.generated)
        }
        for view in book.views { registry.identities.add(view) }
        tellPermits(book)
    }

    /// Whether answers named as many users as accounts signed in at a provider.
    private func isNamed(at mvpd: UInt64, _ book: ProfileBook) -> Bool {
        let accounts = Set(
            attempts.filter {
                $0.isCandidate && $0.tag != ModelOperation.none && tags[Int($0.tag)].mvpd == mvpd
            }.map(\.tag))
        let users = Set(
            book.seen.filter { $0.kind == .regular && book.mark(of: $0.slot) == mvpd }.map(\.tag))
        return users.count >= accounts.count
    }
}

extension SharedState {
    /// I28 and I29, `identity-isolation` and `single-logout`.
    func settleIdentities() {
        guard !identities.isEmpty else { return }
        var accused: Set<Int> = []
        var tested: Set<Int> = []
        for view in identities.allViews {
            if !view.isOwn, identities.isAnothers(view) {
                guard
                    rules.knowsUsers || identities.wasEmpty(view, slack: bounds.widest)
                        || identities.isOfLoginHere(view)
                else { continue }
                accuse(
                    view, .identityIsolation, [view.beat], &accused,
                    "\(view.beat.name) returned a profile by single sign-on whose user had signed in "
                        + "under another identity")
                continue
            }
            check(.singleLogout)
            if tested.insert(view.household).inserted { self.tested.add(1, to: .singleLogout) }
            if let out = identities.ending(view, visibility: visibility, bounds) {
                let gap = view.beat.call - out.beat.ret
                let what = view.isOwn ? "the device's own profile" : "a profile by single sign-on"
                accuse(
                    view, .singleLogout, [view.beat], &accused, gap: gap,
                    "\(view.beat.name) returned \(what) \(milliseconds(gap)) after "
                        + "a logout under the same identity (household \(out.household), request "
                        + "#\(out.beat.sequence)); there was no login in between")
            }
        }
    }

    /// The first of each household is told.
    private func accuse(
        _ view: IdentityLedger.View, _ invariant: Invariant, _ evidence: [CompactOperation],
        _ accused: inout Set<Int>, gap: Int64? = nil, _ text: String
    ) {
        var certainty = Certainty.certain
        if view.beat.flags & Observed.Flags.edge.rawValue != 0 {
            certainty = .suspicion("a cache in front of the service responded")
        } else if invariant == .identityIsolation, identities.mayBeOwn(view) {
            certainty = .suspicion("another login under that identity may have made it")
        }
        let source = invariant.source
        let key = view.household << 6 | Int(invariant.rawValue)
        guard accused.insert(key).inserted else { return }
        let violation = Violation(
            invariant: invariant, certainty: certainty, source: source,
            standing: standing(invariant, certainty, source, view.beat.operation),
            household: view.household, exchanges: evidence.map { Int($0.sequence) },
            operations: evidence.map(\.operation),
            signature: "\(invariant.name): \(view.beat.operation.name) \(view.beat.answer)",
            gap: gap, at: view.beat.ret, sentence: "household \(view.household): \(text)",
            level: invariant.level)
        if invariant.level == .safety, certainty == .certain {
            levels.breakSafety(in: view.household)
        }
        note(cause: add(violation), of: [view.household])
    }
}
