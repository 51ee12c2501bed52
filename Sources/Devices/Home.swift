internal import Dialects
internal import Lanes
internal import Rigs

/// What the two households of a home that shares an identity know of each other (`single-sign-on`,
/// `shared-with`). Both are on one lane. One of them logs out, and the other looks what is left.
///
///     first   signs in ├─ its activities ── waits ─┤ logs out ┤
///     second  waits    ├─ looks, plays ─────┤                 ├ looks once more
///
/// In every other home it is the second that logs out, and the first that looks.
final class Home {
    /// The first is signed in, or never will be.
    var isOpen = false
    var secondHasCome = false
    /// The one that stays has done what it wanted.
    var isStayerDone = false
    /// The one that leaves has logged out, or has ended.
    var isOver = false
}

extension Household {
    /// How often one of them looks at the other.
    private static let glance: Duration = .milliseconds(50)

    /// The second of a home begins when the first is signed in (rest-v2.md § 8.2, step 6).
    @inline(never)
    func waitForFirstOfHome() async throws(StopReason) {
        guard let home, plan.home?.isFirst == false else { return }
        home.secondHasCome = true
        // Nobody signs in here before that: where the first never gets there, the settle phase must not wait
        // for the second, nor for the end of the first one's code.
        expect(aViewer: false)
        while !home.isOpen { try await nap(Self.glance) }
        expect(aViewer: true)
        // Two things at the same instant have no order.
        try await nap(.milliseconds(5))
    }

    /// The first is signed in.
    func openHome() {
        if plan.home?.isFirst == true { home?.isOpen = true }
    }

    /// Who logs out does so when the other has seen the sign-in.
    @inline(never)
    func waitForStayer() async throws(StopReason) {
        guard let home, plan.home?.leaves == true else { return }
        // The second may be one household too many for the run.
        while !home.isStayerDone, home.secondHasCome || !shift.hasClosed {
            try await nap(Self.glance)
        }
    }

    /// The other looks whether that logout has ended its sign-in as well (§ 8.2, step 9).
    @inline(never)
    func lookAfterLogoutAtHome() async throws(StopReason) {
        guard let home, plan.home?.leaves == false else { return }
        home.isStayerDone = true
        while !home.isOver, home.secondHasCome || !shift.hasClosed {
            try await nap(Self.glance)
        }
        guard home.isOver else { return }
        try await nap(.milliseconds(5))
        _ = try await askIfKnown(tv, isProvoked: true) { dialect.checkAuthentication($0) }
    }

    /// Nobody waits for this household any longer.
    func leaveHome() {
        guard let home, let own = plan.home else { return }
        if own.isFirst { home.isOpen = true }
        if own.leaves { home.isOver = true } else { home.isStayerDone = true }
        if !own.isFirst { shift.homes[own.first] = nil }
    }
}
