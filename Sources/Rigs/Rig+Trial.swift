internal import Statistics

extension Rig {
    /// This rig for one household that loses no time: of the kind with this name, or of the first, as
    /// the rig says but for its viewer, whose times are shortened, who makes no mistakes, never
    /// gives up, and refuses the TV only where all viewers of that kind do. Everything about the
    /// target as it is; of the thresholds those that one household can miss: counts, no times. Nil
    /// where no kind has that name. For `screenrig try`.
    public func trial(of name: String? = nil) -> Rig? {
        guard var kind = name.map({ name in kinds.first { $0.name == name } }) ?? kinds.first else {
            return nil
        }
        var rig = self
        let refuses = kind.viewer.refuses == 1
        kind.viewer = HouseholdKind.Viewer(
            noticesCode: .fixed(.seconds(1)), signsIn: .fixed(.milliseconds(500)), givesUp: 0)
        kind.viewer.refuses = refuses ? 1 : 0
        kind.hasSecondViewer = 0
        kind.returning.share = 0
        kind.singleSignOn?.sharing = .nobody
        rig.kinds = [kind]
        // A poll that comes before the sign-in shows what "not yet" looks like here; the token must
        // have two polls' time to appear. A device grant names its interval, before which no poll is due (RFC 8628, 3.5).
        let isGrant = protocolName(of: kind) == .oauthDeviceGrant
        if !isGrant { rig.polling.firstAfter = min(.seconds(1), polling.every) }
        rig.polling.mode = .timer
        rig.load = .once(households: 1, settle: max(.seconds(isGrant ? 20 : 5), polling.every * 2))
        rig.code.newCode = 0
        rig.hurry()
        rig.afterSignIn = Self.hurried(afterSignIn)
        rig.lanes = 1
        rig.record = .all
        rig.validity.failsOnBreach = false
        rig.thresholds = thresholds.filter(\.isAboutEach)
        rig.shows = []
        rig.events = []
        return rig
    }

    /// Nobody watches for long, and everybody logs out at the end, so that nothing is left behind
    /// and the logout is tried as well.
    private static func hurried(_ activities: [Activity]) -> [Activity] {
        let kept = activities.compactMap { activity -> Activity? in
            switch activity {
            case .plays:
                .plays(
                    ProgramTerms(
                        time: .fixed(.milliseconds(500)), every: .fixed(.milliseconds(250))))
            case .watch: .watch(.fixed(.milliseconds(500)))
            case .logout, .again, .relaunch, .secondProvider: nil
            case .ask, .playAtOnce: activity
            }
        }
        return kept + [.logout(1)]
    }
}

extension Threshold {
    /// Whether a single household can miss it: what goes wrong in one goes wrong in each. That so many are to go
    /// wrong, as with `authorize errors == 50%`, is about all of them together.
    fileprivate var isAboutEach: Bool {
        guard kind == nil,
            [.below, .atMost].contains(comparison) || comparison == .equal && bound == 0
        else { return false }
        switch (subject, measure) {
        case (.everything, .errors), (.operation, .errors), (.householdsFailed, _),
            (.violations, _),
            (.invariant, _):
            return true
        default: return false
        }
    }
}
