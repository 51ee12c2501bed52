internal import Vocabulary

/// What a device grant promises beside the sign-in itself (RFC 8628): a person's decision stands and
/// reaches the device, and a code that nobody has used or refused is still good.
///
/// ```text
/// phone   refusal ─────┤ confirmed
/// TV                        poll: a token           decision-final
///                           poll: pending           refusal-delivered
/// ```
struct GrantBook: Sendable {
    /// A person's decision on a code, as the answer told it.
    struct Decision: Sendable {
        var code: UInt64
        var beat: CompactOperation
        var isRefusal: Bool
        /// The mark of who approved; 0: nobody, or not known.
        var person: UInt64
        /// A poll came after it.
        var isLookedAt = false
    }

    /// A poll that a code was good for, or may have been.
    struct Redemption: Sendable {
        var code: UInt64
        var beat: CompactOperation
        /// The fingerprint of the access token; 0: no answer came.
        var token: UInt64
    }

    /// A renewal that was answered with another refresh token than it had shown.
    struct Renewal: Sendable {
        /// The marks of the refresh token that it showed, and of the one that it got.
        var shown: UInt64
        var got: UInt64
        var beat: CompactOperation
    }

    var decisions: [Decision] = []
    var renewals: [Renewal] = []
    var redemptions: [Redemption] = []
    /// Marks of the refresh tokens that the TV showed for new ones, once for each time.
    var shown: [UInt64] = []
    /// Marks of the tokens that were given back.
    var returned: [UInt64] = []
    /// The code whose token the TV holds; 0: none.
    var held: UInt64 = 0
    /// When its latest access token expires, at the earliest and by our clock; never, where the service states no lifetime.
    var accessEnds = Int64.max
    /// Revocations by another client that were answered as if they had been taken.
    var othersRevocations: [CompactOperation] = []
    /// Marks of the tokens that those showed, in the same order.
    var othersRevoked: [UInt64] = []
    /// A used code was polled with again: a server may then end what it had led to (RFC 6749, 4.1.2).
    var isPolledAgain = false
    /// Codes that the TV asked for while it held a token: each is a grant of its own, which says nothing of the
    /// one before.
    var others: [UInt64] = []
    /// It holds tokens of several: nobody can say whose a request without a code shows.
    var holdsSeveral = false

    /// Texts of errors, as an answer's `detail` has them.
    static let denied = Checker.mark("access_denied")
    static let spent = Checker.mark("invalid_grant")
    static let early = Checker.mark("slow_down")
}

extension HouseholdState {
    /// Notes what a decision or a poll may do, as it begins.
    mutating func noteGrant(of operation: Observed) {
        let beat = CompactOperation(operation)
        if operation.operation == .deviceToken, isUsed(operation.code, by: beat.call) {
            changeGrants { $0.isPolledAgain = true }
        }
        switch operation.operation {
        case .approval, .refusal:
            guard operation.effect != .denied else { return }
            settle(operation)
            changeGrants {
                $0.decisions.append(
                    GrantBook.Decision(
                        code: operation.code, beat: beat,
                        isRefusal: operation.operation == .refusal, person: operation.tag))
            }
        // Without an answer it may have got the token; "slow_down" says that the code is still pending (RFC 8628, 3.5).
        case .deviceToken
        where operation.effect == .success
            || operation.effect == .nothing && operation.detail != GrantBook.early:
            settle(operation)
            let token = operation.effect == .success ? operation.detail : 0
            changeGrants {
                $0.redemptions.append(
                    GrantBook.Redemption(code: operation.code, beat: beat, token: token))
            }
        case .refreshToken: changeGrants { $0.shown.append(operation.detail) }
        case .revocation: changeGrants { $0.returned.append(operation.detail) }
        case .otherClientToken where operation.effect == .success:
            settle(operation)
            // It is used up, and the TV has no token by it.
            changeGrants {
                $0.redemptions.append(
                    GrantBook.Redemption(code: operation.code, beat: beat, token: 0))
            }
        case .otherClientRevocation where operation.effect == .success:
            changeGrants {
                $0.othersRevocations.append(beat)
                $0.othersRevoked.append(operation.detail)
            }
        default: break
        }
        noteHeld(operation)
    }

    private func settle(_ operation: Observed) {
        guard let life = life(of: operation) else { return }
        let shared = lives[life].shared
        shared.settledCalled = min(shared.settledCalled, operation.call)
    }

    /// Notes whose token the TV holds, as far as its answers tell.
    private mutating func noteHeld(_ operation: Observed) {
        let code = operation.code
        switch (operation.operation, operation.effect) {
        case (.deviceAuthorization, .success) where (grantBook?.held ?? 0) != 0:
            changeGrants { $0.others.append(code) }
        case (.deviceToken, .success):
            changeGrants {
                if $0.others.contains(code) { $0.holdsSeveral = true } else { $0.held = code }
            }
            noteAccessEnd(operation)
        case (.refreshToken, .success): noteAccessEnd(operation)
        case (.revocation, .success), (.userinfo, .unauthenticated), (.refreshToken, .denied):
            guard let grantBook, !grantBook.holdsSeveral else { return }
            changeGrants { $0.held = 0 }
        default: break
        }
    }

    private mutating func noteAccessEnd(_ operation: Observed) {
        let end = lifeWindow(operation).low
        changeGrants { $0.accessEnds = end }
    }

    /// Whether the TV's access token may have expired by `time` (RFC 6749, 5.1).
    func isAccessOver(by time: Int64) -> Bool {
        grantBook.map { $0.accessEnds <= time } ?? false
    }

    /// Whether it shows a refresh token that an earlier request had shown, and that one of the two replaced.
    func isShownAgain(_ operation: Observed) -> Bool {
        guard operation.operation == .refreshToken, let grantBook else { return false }
        return grantBook.renewals.contains { $0.shown == operation.detail }
            && grantBook.shown.count { $0 == operation.detail } > 1
    }

    /// Whether an operation is about another grant than the one that the TV is signed in by: of that only what
    /// holds of a single grant is judged.
    func isOfAnotherGrant(_ operation: Observed) -> Bool {
        guard let grantBook, operation.step != .issueCode else { return false }
        return operation.code == 0
            ? grantBook.holdsSeveral : grantBook.others.contains(operation.code)
    }

    /// Notes a renewal as its answer is taken in.
    mutating func noteRenewal(_ operation: Observed, by got: UInt64) {
        guard operation.detail != 0, got != 0 else { return }
        let beat = CompactOperation(operation)
        changeGrants {
            $0.renewals.append(GrantBook.Renewal(shown: operation.detail, got: got, beat: beat))
        }
    }

    /// Whether the service accepted or rejected it.
    private static func isDecided(_ operation: Observed) -> Bool {
        operation.effect == .success
            || operation.effect == .denied && !operation.flags.contains(.throttled)
    }

    /// `refresh-token-once`: two successors of one refresh token.
    private mutating func judgeRenewal(_ operation: Observed, _ beat: CompactOperation) {
        guard Self.isDecided(operation), operation.detail != 0, let grantBook else { return }
        let rivals = grantBook.renewals.filter {
            $0.shown == operation.detail && $0.beat.sequence != beat.sequence
                && $0.beat.call <= beat.ret
        }
        if !rivals.isEmpty { check(.refreshTokenOnce) }
        guard operation.effect == .success,
            let own = grantBook.renewals.first(where: { $0.beat.sequence == beat.sequence }),
            let other = rivals.first(where: { $0.got != own.got && $0.beat.ret <= beat.ret })
        else { return }
        let gap = beat.call - other.beat.ret
        let text =
            "\(beat.name) got another refresh token for the one that \(other.beat.name) had "
            + "exchanged for a new one"
        accuse(violation(.refreshTokenOnce, .certain, [other.beat, beat], gap: gap, text))
    }

    /// `client-bound`: another client got a token with what was issued to the TV's.
    private mutating func judgeOtherClient(_ operation: Observed, _ beat: CompactOperation) {
        guard operation.effect == .success || operation.effect == .denied else { return }
        check(.clientBound)
        guard operation.effect == .success else { return }
        guard let life = life(of: operation) else {
            let text =
                "\(beat.name) got a token for a refresh token that was issued to another client"
            return accuse(violation(.clientBound, .certain, [beat], text))
        }
        let made = lives[life].made
        let text =
            "\(beat.name) got a token for code \(lives[life].text), which was issued to another client "
            + "(by \(made.name))"
        accuse(violation(.clientBound, .certain, [made, beat], gap: beat.call - made.ret, text))
    }

    /// `client-bound`: the TV's refresh token is over since another client gave it back, and nothing else has
    /// used it up or ended it.
    private mutating func judgeOthersRevocation(_ operation: Observed, _ beat: CompactOperation) {
        guard let grantBook, !grantBook.isPolledAgain, operation.detail != 0,
            operation.effect == .success || operation.effect == .denied,
            let number = grantBook.othersRevoked.firstIndex(of: operation.detail)
        else { return }
        let other = grantBook.othersRevocations[number]
        guard other.ret < beat.call, !grantBook.returned.contains(operation.detail),
            !grantBook.renewals.contains(where: {
                $0.shown == operation.detail && $0.beat.sequence != beat.sequence
            })
        else { return }
        check(.clientBound)
        guard operation.effect == .denied else { return }
        let gap = beat.call - other.ret
        let text =
            "\(beat.name) was turned down \(milliseconds(gap)) after \(other.name), of another client, had "
            + "given the TV's token back"
        accuse(violation(.clientBound, .certain, [other, beat], gap: gap, text))
    }

    /// `one-decision`: of two that overlapped both were confirmed. Of two that came one after the other the
    /// later may be a change of mind, and is judged by what the TV is told (`decision-final`).
    private mutating func judgeDecision(_ operation: Observed, _ beat: CompactOperation) {
        guard Self.isDecided(operation), let life = life(of: operation) else { return }
        let isRefusal = operation.operation == .refusal
        let rivals =
            grantBook?.decisions.filter {
                $0.code == operation.code && $0.beat.sequence != beat.sequence
                    && $0.beat.effect == .success && $0.beat.call <= beat.ret
            } ?? []
        let opposed = rivals.filter { $0.isRefusal != isRefusal && $0.beat.ret >= beat.call }
        if !opposed.isEmpty { check(.oneDecision) }
        let owners = rivals.filter { $0.person != 0 && $0.person != operation.tag }
        let hasRival =
            !isRefusal && registry.codesServeOnce && operation.tag != 0 && !owners.isEmpty
        if hasRival { check(.oneOwner) }
        guard operation.effect == .success else { return }
        judgeAlive(life, beat)
        if hasRival { judgeSecondOwner(beat, life, besides: owners) }
        guard let other = opposed.first(where: { $0.beat.ret <= beat.ret }) else { return }
        let gap = beat.call - other.beat.ret
        let text =
            "\(beat.name) of code \(lives[life].text) was confirmed, and so was \(other.beat.name), "
            + "which decided otherwise"
        accuse(violation(.oneDecision, .certain, [other.beat, beat], gap: gap, text))
    }

    /// `one-owner`: two persons were told that the TV is theirs.
    private mutating func judgeSecondOwner(
        _ beat: CompactOperation, _ life: Int, besides owners: [GrantBook.Decision]
    ) {
        guard let other = owners.first(where: { $0.beat.ret <= beat.ret }) else { return }
        let gap = beat.call - other.beat.ret
        let text =
            "\(beat.name) of code \(lives[life].text) was confirmed, and so was \(other.beat.name) "
            + "by another person; the TV can be signed in as one of them only"
        accuse(violation(.oneOwner, .certain, [other.beat, beat], gap: gap, text))
    }

    mutating func changeGrants(_ change: (inout GrantBook) -> Void) {
        var book = grantBook ?? GrantBook()
        change(&book)
        grantBook = book
    }

    /// Whether the end of a code that a poll reports is nothing to wonder at: it may have expired, or it has served, and the
    /// server calls that expired, too.
    func isMootEnd(_ operation: Observed) -> Bool {
        guard operation.operation == .deviceToken, operation.effect == .expired else {
            return false
        }
        guard let life = life(of: operation) else { return true }
        return operation.ret >= lives[life].low || isUsed(operation.code, by: operation.ret)
    }

    /// Whether a rejected access token may have expired: its rejection then says nothing about the sign-in.
    func isOverByItself(_ operation: Observed) -> Bool {
        operation.operation == .userinfo && operation.effect != .success
            && isAccessOver(by: operation.ret)
    }

    mutating func judgeGrant(_ operation: Observed, _ beat: CompactOperation) {
        switch operation.operation {
        case .otherClientToken, .otherClientRefresh: judgeOtherClient(operation, beat)
        case .refreshToken:
            judgeOthersRevocation(operation, beat)
            judgeRenewal(operation, beat)
        case .approval, .refusal: judgeDecision(operation, beat)
        case .deviceToken:
            if let life = life(of: operation) { judgeTokenPoll(operation, beat, life) }
        default: break
        }
    }
}
