internal import Journal
internal import Rigs

/// Households that were signed in before the load began. They sign in like anybody, with a viewer who is at the
/// phone; then the app is closed, and what the device keeps for good is all that is left when they arrive.
extension Household {
    /// False where the run is over before the household arrives.
    @inline(never)
    func prepare() async -> Bool {
        let own = plan
        plan.viewer = .ready
        plan.activities = []
        plan.second = nil
        plan.asksForNewCode = false
        isPreparing = true
        async let viewer: Void = watchAndSignIn()
        do throws(StopReason) {
            try await firstScreen()
            note(.preparedBefore)
        } catch {
            note(.notPrepared, error.words)
        }
        shownCodes.finish()
        await viewer
        plan = own
        closeApp()
        guard await shift.arrival(of: plan.index) else { return false }
        note(.comesBack)
        expect(aViewer: true)
        isPreparing = false
        return true
    }

    /// What is kept is kept for good: the credentials of its client, its access token while that lives, its
    /// provider (rest-v2.md § 14.2); connections and what was in memory are gone.
    private func closeApp() {
        for screen in [tv] + morePollers + players + phones { lane.retire(screen.device) }
        let former = record
        record = HouseholdRecord(
            household: former.household, kind: former.kind, lane: former.lane, arrived: lane.now)
        record.signOn.asked = former.signOn.asked
        record.mvpd = former.mvpd
        (tv.device.throttled, tv.device.isSignedIn) = (ThrottledRequests(), false)
        shownCodes = Signal()
        knownProviders = nil
        (viewerLeft, siblingToken, pollersEnd) = (nil, nil, nil)
        (tries, restarts, pickersBefore) = (0, 0, 0)
        (hasRefused, hasAuthorized) = (false, false)
        (formerCode, polledCode) = (nil, nil)
        if plan.viewer.resetsApp { resetApp() }
    }
}
