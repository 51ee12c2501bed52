internal import Dialects
internal import Statistics
internal import Vocabulary

/// What one average household of a kind asks for, and how long it lives, in seconds.
struct KindFlow {
    /// Expected requests by operation, in the order in which they are first sent.
    let requests: [(OperationName, Double)]
    let life: Double
    let longLife: Double
    let devices: Double
    /// Sign-ins on a phone.
    let phoneSignIns: Double

    init(_ kind: HouseholdKind, _ rig: Rig) {
        let viewer = kind.viewer
        let way = Way(kind)
        let stays = way == .code ? 1 - viewer.givesUp - viewer.isTooLate : 1 - viewer.givesUp
        let human = (viewer.noticesCode.mean + viewer.signsIn.mean).seconds
        let slow =
            (viewer.noticesCode.value(atShare: 0.95) + viewer.signsIn.value(atShare: 0.95)).seconds
        let interval = max(0.001, rig.polling.meanInterval.seconds)
        // A TV whose viewer left polls on, until its code or the settling ends.
        let codeLife = rig.code.expectedLifetime.seconds
        let abandoned = min(codeLife, human + rig.load.settle.seconds)
        let after = Self.after(
            rig.afterSignIn, resources: Double(rig.target.resources.count),
            isSDK: kind.firstScreen.isSDK,
            asksEachTime: rig.protocolName(of: kind) == .adobePassV2)
        // Test benches poll on, after each success and each logout.
        let logouts = after.requests.first { $0.0 == .logout }?.1 ?? 0
        let polledOn = rig.polling.afterSuccess.seconds / interval * (1 + logouts)
        let waiting = stays * (max(1, human / interval + 0.5) + polledOn)
        let polls = (waiting + (1 - stays) * abandoned / interval) * Double(rig.polling.pollers)
        let rounds = 1 + after.again * stays
        phoneSignIns = way == .code ? rounds * stays : 0
        devices = way == .code ? Double(1 + kind.secondScreens) : 1
        // Of several phones one is used, as a rule.
        let signers: Double =
            way == .code && kind.requests.second.ofSecond(in: rig.protocolName(of: kind)).signs
            ? 2 : 1
        let tokens: Double = rig.target.usesBearer ? signers : 0
        var registers = 0.0
        if case .perDevice = rig.target.clients { registers = tokens }
        var before: [(OperationName, Double)] = [
            (.registerClient, registers), (.accessToken, tokens),
            (
                .checkAuthentication,
                kind.firstScreen.isSDK ? 0 : rounds + stays * kind.returning.shareWithin
            ),
        ]
        let tries = 1 + viewer.cancels + viewer.changesProvider
        let logins: Double = rounds * stays * tries
        // Of a device grant the page of the code, the code, and the page that asks for a decision.
        let hops: Double = rig.protocolName(of: kind) == .oauthDeviceGrant ? 3 : 2
        let pages: Double =
            2 * logins + rounds * stays * (viewer.mistypesPassword + viewer.submitsTwice)
        let typed: Double =
            rounds * (tries + viewer.mistypesCode + viewer.typesTwice + viewer.typesSmall)
        let again: Double = rounds * stays * viewer.typesTwice
        switch way {
        case .pass: before += [(.configuration, rounds), (.freePreview, rounds)]
        case .platform:
            before += [
                (.configuration, 1), (.profileRequest, rounds), (.tokenExchange, rounds),
                (.pollToken, kind.firstScreen.isSDK ? rounds : 0),
            ]
        case .webView:
            before += [
                (.registrationCode, rounds), (.configuration, rounds),
                (.authenticate, hops * logins), (.mvpdLogin, pages), (.assertion, logins),
                (.pollToken, rounds * stays),
            ]
        case .code:
            before += [
                (.registrationCode, rounds * (1 + rig.code.newCode + viewer.reopensApp)),
                (.registrationRecord, typed), (.configuration, rounds * tries),
                (.authenticate, hops * logins + again), (.mvpdLogin, pages),
                (.assertion, logins), (.checkCode, logins), (.pollToken, rounds * polls),
            ]
        }
        let issues = way == .code || way == .webView
        let deletes = issues && rig.code.deletesAfter
        before.append((.deleteRegistration, deletes ? rounds * stays : 0))
        // Codes of viewers who left run out before the household ends, or are deleted.
        let cleanUp: [(OperationName, Double)] =
            rig.cleansUp
            // Who logged out by the rig has nothing left to log out of.
            ? [
                (.logout, stays * after.staysSignedIn),
                (.deleteRegistration, !issues || deletes ? 0 : rounds),
            ] : []
        let all = before + after.requests.map { ($0.0, $0.1 * rounds * stays) } + cleanUp
        let name = rig.protocolName(of: kind)
        requests =
            HouseholdFlow.summed(
                all.compactMap { operation, count in
                    if name == .oauthDeviceGrant {
                        return Self.grant(operation, rig).map { ($0, count) }
                    }
                    guard name == .adobePassV2 else { return (operation, count) }
                    // What V2 lacks of the activities is left out (`checkSteps`).
                    guard operation.isOfV2 || !operation.has(.activity) else { return nil }
                    let others = operation.counterpartsInV2
                    // A code that has its provider is looked up by reading its session.
                    let isRead = operation == .registrationRecord && kind.choosesOnFirstScreen
                    return (isRead ? others.last : others.first).map { ($0, count) }
                }
            ).filter { $0.1 > 0 }
        let isQuick = way == .pass || way == .platform
        let habits = viewer.habits(interval: interval)
        let round = (isQuick ? 0 : human + interval / 2 + habits) + after.watching
        let slowRound = (isQuick ? 0 : slow + interval + habits) + after.watching
        let away = kind.returning.shareWithin * (kind.returning.away?.mean.seconds ?? 0)
        life = rounds * (stays * round + (1 - stays) * abandoned) + stays * away
        longLife = rounds * slowRound + away
    }

    /// What takes the place of a step in the device grant, where that is asked for.
    private static func grant(_ operation: OperationName, _ rig: Rig) -> OperationName? {
        let terms = rig.target.deviceGrant
        let hasAddresses = terms.deviceAuthorization != nil && terms.token != nil
        let asksMetadata = !terms.metadata(hasAddresses: hasAddresses).isEmpty
        switch operation.counterpartsInDeviceGrant.first {
        case .serverMetadata: return asksMetadata ? .serverMetadata : nil
        case .userinfo where operation != .userinfo: return nil
        case .revocation where terms.revocation == nil && !asksMetadata: return nil
        case let own: return own
        }
    }

    /// How such a household comes by its token.
    private enum Way {
        case code, webView, platform, pass

        init(_ kind: HouseholdKind) {
            if kind.hasTempPass {
                self = .pass
            } else if let platform = kind.platform, platform.succeeds {
                self = .platform
            } else {
                self = kind.firstScreen.hasWebView ? .webView : .code
            }
        }
    }

    /// What follows the sign-in: requests, seconds of watching, share that signs in again, share that
    /// is signed in at the end.
    private static func after(
        _ activities: [Rig.Activity], resources: Double, isSDK: Bool, asksEachTime: Bool
    ) -> (
        requests: [(OperationName, Double)], watching: Double, again: Double, staysSignedIn: Double
    ) {
        var requests: [(OperationName, Double)] = []
        var watching = 0.0
        var again = 0.0
        var signedIn = 1.0
        for activity in activities {
            switch activity {
            // The SDK keeps authorizations itself.
            case .ask(.authorizationToken) where isSDK: continue
            case .ask(let operation):
                let each = operation.has(.aboutResource) ? resources : 1
                requests.append((operation, signedIn * each))
            case .playAtOnce:
                requests.append((.authorize, signedIn * resources))
                if !isSDK { requests.append((.authorizationToken, signedIn * resources)) }
                requests.append((.mediaToken, signedIn * resources))
            case .plays(let terms):
                let programs = signedIn * terms.count
                // How long an authorization lives is the service's to say; in sessions each program asks.
                requests.append(
                    (.authorize, asksEachTime ? programs : min(programs, signedIn * resources)))
                if !isSDK { requests.append((.mediaToken, programs)) }
                watching += terms.time.mean.seconds * signedIn
            case .watch(let time): watching += time.mean.seconds * signedIn
            case .logout(let share):
                requests.append((.logout, signedIn * share))
                signedIn *= 1 - share
            case .again(let share): again += (1 - again) * share
            case .secondProvider(let share): again += (1 - again) * share * signedIn
            case .relaunch(let share):
                requests.append((.checkAuthentication, share))
                again += (1 - again) * (1 - signedIn) * share
                signedIn += (1 - signedIn) * share
            }
        }
        return (HouseholdFlow.summed(requests), watching, again, signedIn)
    }
}

extension HouseholdKind.Viewer {
    /// Seconds that habits add to a sign-in, on average.
    fileprivate func habits(interval: Double) -> Double {
        3 * losesNetwork + 3 * interval * tvSleeps + 2 * typesSmall + reopensApp
    }
}

extension PlatformSignOn {
    /// Whether the script leads to a token by the platform, with a provider that is boarded there.
    public var succeeds: Bool {
        guard error == nil || errorPlace == .relaunch, withdrawal == .never, includesProvider,
            access == .granted || access == .undetermined && prompt == .allow
        else { return false }
        if account == .fresh { return true }
        // Without its expiry an account that ran out looks good, and vouches for nobody.
        if account == .expired, !includesExpiry { return false }
        if case .choose = picker { return true }
        return false
    }
}

extension Rig.Polling {
    /// From poll to poll, whoever causes it.
    var meanInterval: Duration {
        switch mode {
        case .timer: every
        case .button(let time): time.mean
        }
    }
}
