internal import Dialects
internal import Journal
internal import Vocabulary

/// Devices that have a profile at each of several providers: how their exchanges are taken in (rest-v2.md §§ 5, 6).
extension HouseholdState {
    /// The book of a device that speaks such a protocol: known by a request that only it has, or one that
    /// names a provider.
    mutating func profileBook(for exchange: UnsafePointer<Exchange>) -> ProfileBook? {
        if let profiles { return profiles }
        guard exchange.pointee.operation.isOfSessions || exchange.pointee.mvpd != nil else {
            return nil
        }
        let book = ProfileBook(begun: exchange.pointee.sent.nanoseconds)
        profiles = book
        registry.hasProfiles = true
        frontier.restart()
        return book
    }

    /// Notes what an answer shows of profiles; gives the mark of whom a request signs in.
    mutating func take(
        _ exchange: UnsafePointer<Exchange>, into operation: inout Observed, _ book: ProfileBook
    ) {
        var answer = ProfileAnswer()
        if let mvpd = exchange.pointee.mvpd {
            operation.slot = book.number(of: mvpd)
            if operation.slot > 0, operation.operation.choosesProvider {
                book.choices.keep(mvpd, as: book.mark(of: operation.slot))
            }
        }
        if let subject = exchange.pointee.subject {
            answer.subject = Checker.mark(subject)
            book.note(subject: answer.subject)
        }
        if let reason = exchange.pointee.reason { answer.reason = .init(reason) }
        let observation = exchange.pointee.observation
        answer.lacksVouched = observation.record == Observation.vouched
        if operation.operation == .configuration, operation.effect == .success,
            operation.screen == 0
        {
            book.configured = CompactOperation(operation)
            book.switchedOff = observation.record?.split(separator: ",").map(String.init) ?? []
        }
        switch operation.step {
        case .issueCode, .lookUpCode, .platformRequest:
            if let record = observation.record { answer.action = .init(record) }
            // There is nothing to show and nothing to poll (rest-v2.md § 5.2, B42).
            if operation.step == .issueCode, answer.action.isAuthorize { operation.code = 0 }
        case .preauthorize, .authorize:
            operation.detail = exchange.pointee.fingerprint?.value ?? 0
            switch observation.record {
            case "mvpd": answer.source = .provider
            case "temppass": answer.source = .pass
            case "degradation": answer.source = .rule
            default: break
            }
        case .logout:
            answer.logout = observation.record.flatMap { .init($0) }
            noteIdentityLogout(operation, answer, book)
        case .finishLogin, .platformExchange:
            if operation.effect != .denied { book.hasLoggedIn = true }
            let isPartner = operation.step == .platformExchange
            if isPartner { book.partnered.insert(operation.slot) }
            if let tag = observation.tag {
                operation.slot =
                    isPartner ? book.partnerNumber(of: tag.mvpd) : book.number(of: tag.mvpd)
                let login = isPartner ? nil : observation.record
                operation.tag = noteAccount(tag, login: login)
                if !isPartner { book.choices.keep(login ?? tag.user, as: operation.tag) }
                if isPartner { book.partnered.insert(book.number(of: tag.mvpd)) }
                if operation.effect != .denied { hold(operation.tag, tag, at: operation.call) }
            }
        default: break
        }
        if operation.operation.showsProfiles {
            let isOthers = isOtherApps(operation, answer, book)
            for profile in observation.profiles {
                let profile = isOthers ? profile.ofOtherApp : profile
                answer.shown.append(shown(profile, at: operation.ret, book))
            }
        }
        if answer.saysSomething { book.keep(answer, of: operation.sequence) }
    }

    /// Noted at once: the other devices of that identity are judged by it.
    private func noteIdentityLogout(
        _ operation: Observed, _ answer: ProfileAnswer, _ book: ProfileBook
    ) {
        guard answer.subject != 0, operation.slot > 0, operation.effect != .denied else { return }
        book.identityLogouts[operation.sequence] = answer.subject
        registry.identities.add(
            IdentityLedger.Logout(
                subject: answer.subject, mvpd: book.mark(of: operation.slot),
                beat: CompactOperation(operation), household: household,
                endsNothing: answer.logout == .noProfile))
    }

    /// Whether the profiles of an answer are another app's of the same device: a service may keep them for the device
    /// (B18), and then shows the second app of a home, under the identity of both, what the first one's login made. They
    /// are judged as what comes by single sign-on is: against the logins under that identity.
    private func isOtherApps(
        _ operation: Observed, _ answer: ProfileAnswer, _ book: ProfileBook
    ) -> Bool {
        registry.appsOfDevice > 1 && household % registry.appsOfDevice > 0 && answer.subject != 0
            && operation.screen == 0 && operation.operation != .profilesByCode && !book.hasLoggedIn
    }

    private mutating func shown(_ profile: Profile, at ret: Int64, _ book: ProfileBook)
        -> ProfileAnswer.ShownProfile
    {
        let mvpd = Checker.mark(profile.mvpd)
        var tag: UInt64 = 0
        if let user = profile.user {
            let isOwn = profile.kind == .regular || profile.kind == .appleSSO
            tag =
                isOwn
                ? noteShown(Tag(mvpd: profile.mvpd, user: user), at: ret) : Checker.mark(user, mvpd)
        }
        let usual =
            switch profile.kind {
            case .appleSSO: "Apple"
            case .degraded, .temporary: "Adobe"
            default: profile.mvpd
            }
        return ProfileAnswer.ShownProfile(
            tag: tag, mvpd: mvpd,
            slot: profile.kind == .appleSSO
                ? book.partnerNumber(of: profile.mvpd) : book.number(of: profile.mvpd),
            kind: profile.kind, hasUsualIssuer: profile.issuer == usual,
            generated: profile.notBefore, expires: profile.notAfter)
    }
}

extension Profile {
    /// As an app of the device sees what another app's login made.
    fileprivate var ofOtherApp: Profile {
        guard kind == .regular else { return self }
        var other = self
        other.kind = .platformSSO
        return other
    }
}

extension OperationName {
    /// Whether it may name the provider that a session's login is to be at.
    var choosesProvider: Bool { self == .createSession || self == .resumeSession }

    /// Whether only protocols have it in which a device has a session and profiles (rest-v2.md § 2).
    var isOfSessions: Bool {
        switch self {
        case .createSession, .resumeSession, .sessionByCode, .profiles, .profilesByMVPD,
            .profilesByCode, .partnerRequest, .ssoProfile:
            true
        default: false
        }
    }
}
