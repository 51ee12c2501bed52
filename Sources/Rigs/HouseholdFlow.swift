internal import Dialects
internal import Statistics

/// What one average household asks for, and how long it lives: the end-to-end sequence of
/// rest-v1.md § 16, with the rig's shares and mean times. This table is the one place to change when
/// a household does something new.
struct HouseholdFlow {
    /// Expected requests by operation, in the order in which they are first sent; none that are 0.
    let requests: [(OperationName, Double)]
    /// From arrival to the end, on average and for a slow one (the last in twenty).
    let life: Duration
    let longLife: Duration
    /// Devices of a household, on average.
    let devices: Double

    /// Life of a code when the rig asks for none (rest-v1.md § 6).
    private static let usualCodeLife: Duration = .seconds(1_800)

    init(_ rig: Rig) {
        let weights = rig.kinds.map { Double($0.weight) }
        let total = weights.reduce(0, +)
        func average(_ value: (HouseholdKind) -> Double) -> Double {
            zip(rig.kinds, weights).reduce(0) { $0 + value($1.0) * $1.1 } / max(1, total)
        }
        let mistypes = average { $0.viewer.mistypesPassword }
        let stays = average { 1 - $0.viewer.givesUp }
        let human = average { ($0.viewer.noticesCode.mean + $0.viewer.signsIn.mean).seconds }
        let slow = average {
            ($0.viewer.noticesCode.value(atShare: 0.95) + $0.viewer.signsIn.value(atShare: 0.95))
                .seconds
        }
        let interval = max(0.001, rig.polling.every.seconds)
        // A TV whose viewer left polls on, until its code or the settling ends.
        let codeLife = (rig.code.lifetime ?? Self.usualCodeLife).seconds
        let abandoned = min(codeLife, human + rig.load.settle.seconds)
        let after = HouseholdFlow.after(rig.afterSignIn)
        // Test benches poll on, after each success and each logout.
        let logouts = after.requests.first { $0.0 == .logout }?.1 ?? 0
        let polledOn = rig.polling.afterSuccess.seconds / interval * (1 + logouts)
        let polls =
            (stays * (max(1, human / interval + 0.5) + polledOn)
                + (1 - stays) * abandoned / interval) * Double(rig.polling.pollers)
        let rounds = 1 + after.again * stays
        devices = average { Double(1 + $0.secondScreens) }
        let registers: Double =
            switch rig.target.clients {
            case _ where !rig.target.usesBearer: 0
            case .perDevice: devices
            case .shared, .given: 0
            }
        let tokens = rig.target.usesBearer ? devices : 0
        let before: [(OperationName, Double)] = [
            (.registerClient, registers), (.accessToken, tokens),
            (.checkAuthentication, rounds),
            (.registrationCode, rounds * (1 + rig.code.newCode)),
            (.registrationRecord, rounds), (.configuration, rounds),
            (.authenticate, rounds * stays * 2), (.mvpdLogin, rounds * stays * (2 + mistypes)),
            (.assertion, rounds * stays), (.checkCode, rounds * stays),
            (.pollToken, rounds * polls),
            (.deleteRegistration, rig.code.deletesAfter ? rounds * stays : 0),
        ]
        // Codes of viewers who left run out before the household ends, or are deleted.
        let cleanUp: [(OperationName, Double)] =
            rig.cleansUp
            ? [(.logout, stays), (.deleteRegistration, rig.code.deletesAfter ? 0 : rounds)] : []
        requests =
            HouseholdFlow.summed(
                before + after.requests.map { ($0.0, $0.1 * rounds * stays) } + cleanUp
            ).filter { $0.1 > 0 }
        let round = human + interval / 2 + after.watching
        life = .nanoseconds(Int64((rounds * (stays * round + (1 - stays) * abandoned)) * 1e9))
        longLife = .nanoseconds(Int64((rounds * (slow + interval + after.watching)) * 1e9))
    }

    /// What follows the sign-in: requests, seconds of watching, share that signs in again.
    private static func after(
        _ activities: [Rig.Activity]
    ) -> (requests: [(OperationName, Double)], watching: Double, again: Double) {
        var requests: [(OperationName, Double)] = []
        var watching = 0.0
        var again = 0.0
        var signedIn = 1.0
        for activity in activities {
            switch activity {
            case .userMetadata: requests.append((.userMetadata, signedIn))
            case .preauthorize: requests.append((.preauthorize, signedIn))
            case .authorize: requests.append((.authorize, signedIn))
            case .mediaToken: requests.append((.mediaToken, signedIn))
            case .watch(let time): watching += time.mean.seconds * signedIn
            case .logout(let share):
                requests.append((.logout, signedIn * share))
                signedIn *= 1 - share
            case .again(let share): again += (1 - again) * share
            }
        }
        return (summed(requests), watching, again)
    }

    /// One row for each operation, in the order of their first ones.
    private static func summed(
        _ requests: [(OperationName, Double)]
    ) -> [(OperationName, Double)] {
        var rows: [(OperationName, Double)] = []
        for (name, count) in requests {
            if let position = rows.firstIndex(where: { $0.0 == name }) {
                rows[position].1 += count
            } else {
                rows.append((name, count))
            }
        }
        return rows
    }
}
