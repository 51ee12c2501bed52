internal import Statistics

extension Rig {
    /// This rig for one household that loses no time: the first kind, as a TV with a phone, with human
    /// times shortened and nobody giving up; everything about the target as it is. For `screenrig
    /// try`, whose checklist is that of a sign-in by code.
    public var trial: Rig {
        var rig = self
        rig.kinds = kinds.prefix(1).map { kind in
            var kind = kind
            if kind.firstScreen != .tvos { kind.device = .appleTV }
            kind.firstScreen = .tvos
            kind.platform = nil
            kind.hasTempPass = false
            kind.viewer = HouseholdKind.Viewer(
                noticesCode: .fixed(.seconds(1)), signsIn: .fixed(.milliseconds(500)), givesUp: 0)
            return kind
        }
        // A poll that comes before the sign-in shows what "not yet" looks like here; the token must
        // have two polls' time to appear.
        rig.polling.firstAfter = min(.seconds(1), polling.every)
        rig.polling.mode = .timer
        rig.load = .once(households: 1, settle: max(.seconds(5), polling.every * 2))
        rig.code.newCode = 0
        rig.afterSignIn = Self.hurried(afterSignIn)
        rig.lanes = 1
        rig.record = .all
        rig.validity.failsOnBreach = false
        rig.thresholds = []
        rig.shows = []
        return rig
    }

    /// Nobody watches for long, and everybody logs out at the end, so that nothing is left behind
    /// and the logout is tried as well.
    private static func hurried(_ activities: [Activity]) -> [Activity] {
        let kept = activities.compactMap { activity -> Activity? in
            switch activity {
            case .watch: .watch(.fixed(.milliseconds(500)))
            case .logout, .again: nil
            case .userMetadata, .preauthorize, .preauthorizeCode, .authorize, .mediaToken:
                activity
            }
        }
        return kept + [.logout(1)]
    }
}
