internal import Dialects
internal import Journal
public import Statistics

/// Plays both arms of a plan and compares how they end.
///
/// The number of trials is fixed before and the arms alternate, which of two goes first by the
/// seed: what changes about the service in the meantime meets both.
public struct ArmTrials: Sendable {
    public var plan: ArmPlan
    /// Trials of each arm that count.
    public var perArm: Int
    public var seed: Seed
    /// Whether somebody wants it to end.
    public var isOver: @Sendable () -> Bool

    public init(
        _ plan: ArmPlan, perArm: Int = 100, seed: Seed,
        isOver: @escaping @Sendable () -> Bool = { false }
    ) {
        self.plan = plan
        self.perArm = perArm
        self.seed = seed
        self.isOver = isOver
    }

    /// Pairs that are played together.
    private static let batch = 20

    /// Until both arms have their trials, or as many again told nothing. `progress` is told after each
    /// batch.
    public func run(
        in arena: any Arena, progress: (ArmComparison) -> Void = { _ in }
    ) async -> ArmComparison {
        var comparison = ArmComparison(
            plan: plan, arms: plan.arms.map { ArmComparison.Arm(name: $0.name) }, isPartial: true)
        var dice = seed.child("arms", Int(plan.invariant.rawValue)).generator()
        var pairs = 0
        while !isOver(), pairs < 2 * perArm {
            let missing = comparison.arms.map { perArm - $0.rate.trials }.max() ?? 0
            guard missing > 0 else { break }
            let order = (0..<min(Self.batch, missing)).flatMap { _ in
                dice.chance(0.5) ? [0, 1] : [1, 0]
            }
            pairs += order.count / 2
            let results = await arena.play(order.map { plan.arms[$0].schedule })
            for (arm, result) in zip(order, results) { comparison.take(result, of: arm) }
            progress(comparison)
        }
        comparison.isPartial = comparison.arms.contains { $0.rate.trials < perArm }
        return comparison
    }
}

extension ArmComparison {
    fileprivate mutating func take(_ result: TrialResult, of arm: Int) {
        switch result.showsSignIn(in: plan.reads) {
        case .success(let endsWell): arms[arm].rate.add(endsWell)
        case .failure(let unread):
            arms[arm].discarded += 1
            if reason.isEmpty { reason = unread.reason }
        }
    }
}

/// Why a trial does not tell how it ended.
struct Unread: Error {
    var reason: String
}

extension TrialResult {
    /// Whether each of these polls was answered with a token. Where one was not answered, or with
    /// nothing that tells, so does the trial; nor does it where the sign-in failed.
    func showsSignIn(in reads: [String]) -> Result<Bool, Unread> {
        if let discarded { return .failure(Unread(reason: "\(discarded)")) }
        for op in schedule.ops where op.step == .authenticate {
            guard let answer = exchange(of: op.id) else { continue }
            if answer.isError || answer.delivery.error != nil {
                return .failure(Unread(reason: "\(op.id) failed"))
            }
        }
        var isSeen = true
        for read in reads {
            guard let exchange = exchange(of: read) else {
                return .failure(Unread(reason: "\(read) was not sent"))
            }
            switch exchange.observation.result {
            case .success: break
            case .absent, .expired, .unauthenticated: isSeen = false
            case .denied, .unauthorized, .none, .ledBack, .ledOn:
                return .failure(
                    Unread(
                        reason: "the response to \(read) does not show whether "
                            + "the TV is signed in"))
            }
        }
        return .success(isSeen)
    }

    private func exchange(of op: String) -> Exchange? {
        guard let release = self[release: op] else { return nil }
        return exchanges.first { exchange in
            exchange.sequence == release.sequence
                && isOwn(release.sequence, of: exchange.device.household)
        }
    }
}
