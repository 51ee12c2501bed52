internal import Dialects
internal import Lanes
internal import Rigs

/// What the two households of a home that shares an identity know of each other (`single-sign-on`,
/// `shared-with`). Both are on one lane.
///
///     first   signs in ├─ its activities ── waits ─┤ logs out ┤
///     second  waits    ├─ looks, plays ─────┤                 ├ looks once more
final class Home {
    /// The first is signed in, or never will be.
    var isOpen = false
    /// The second has come, and has done what it wanted.
    var secondHasCome = false
    var secondIsDone = false
    /// The first is signed in no longer, or has ended.
    var isOver = false
}

extension Household {
    /// How often one of them looks at the other.
    private static let glance: Duration = .milliseconds(50)

    private var isFirstAtHome: Bool { plan.home?.isFirst ?? true }

    /// The second of a home begins when the first is signed in (rest-v2.md § 8.2, step 6).
    func waitForFirstOfHome() async throws(StopReason) {
        guard let home, !isFirstAtHome else { return }
        home.secondHasCome = true
        while !home.isOpen { try await nap(Self.glance) }
        // Two things at the same instant have no order.
        try await nap(.milliseconds(5))
    }

    func openHome() {
        if isFirstAtHome { home?.isOpen = true }
    }

    /// The first logs out when the second has seen its sign-in.
    func waitForSecondOfHome() async throws(StopReason) {
        guard let home, isFirstAtHome else { return }
        while !home.secondIsDone, home.secondHasCome || !shift.hasClosed {
            try await nap(Self.glance)
        }
    }

    /// The second looks whether the first's logout has ended its sign-in as well (§ 8.2, step 9).
    func lookAfterLogoutAtHome() async throws(StopReason) {
        guard let home, !isFirstAtHome else { return }
        home.secondIsDone = true
        while !home.isOver { try await nap(Self.glance) }
        try await nap(.milliseconds(5))
        _ = try await askIfKnown(tv, isProvoked: true) { dialect.checkAuthentication($0) }
    }

    /// Nobody waits for this household any longer.
    func leaveHome() {
        guard let home, let first = plan.home?.first else { return }
        if isFirstAtHome {
            (home.isOpen, home.isOver) = (true, true)
        } else {
            home.secondIsDone = true
            shift.homes[first] = nil
        }
    }
}
