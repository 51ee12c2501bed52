internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics

/// The service's clock, read off the codes that it issues: `generated` lies before the end of its answer.
/// It is the clock by which the service also says when a token expires; the `Date` header is the front
/// server's, and may be missing.
struct CodeClock {
    /// By how much the clocks of a service's own nodes may differ.
    static let leeway: Duration = .seconds(2)

    /// Epoch milliseconds, and an instant at which the service's clock had reached them.
    private var reading: (generated: Int64, since: Instant, at: Instant)?

    mutating func read(_ issued: Answered) {
        // A device grant states lifetimes, and no instants.
        guard let generated = issued.exchange.observation.generated, generated > 0 else { return }
        reading = (generated, issued.exchange.sent, issued.exchange.ended)
    }

    /// When the token in an answer expires at the earliest. Nil where either time is unknown.
    func earliestEnd(of polled: Answered) -> Instant? {
        guard let expires = polled.exchange.observation.expires else { return nil }
        if polled.exchange.observation.generated == 0 {
            return polled.exchange.sent + .milliseconds(expires)
        }
        guard let reading else { return nil }
        return reading.since + .milliseconds(expires - reading.generated)
    }

    /// Whether the token in an answer had surely expired before it was asked for. False where either
    /// time is unknown.
    func isOver(_ polled: Answered) -> Bool {
        guard let reading, let expires = polled.exchange.observation.expires else { return false }
        let since = polled.exchange.sent - reading.at
        return Duration.milliseconds(expires - reading.generated) + Self.leeway < since
    }
}

extension Household {
    /// What it comes to when the code has run out. The viewer is in time if notice, login and slips, as the rig drew
    /// them, or the time in which their TV sleeps, and one more wait of the TV fit into the lifetime that came with the code. Then the service ended the code
    /// too early, or took too long; or a rate limit of this run, or a rig that was late itself, delayed it for so long. A lifetime shorter than
    /// the rig asks for, or than the usual one, may be intended: the cause names it.
    /// `reported`: by a response; else the TV's next poll would come after its end.
    @inline(never)
    func codeRanOut(_ issued: IssuedCode, reported: Bool = true) -> StopReason {
        let wait = max(
            terms.polling.button?.value(atShare: 0.95)
                ?? terms.polling.every * (1 + terms.polling.jitter),
            issued.pollInterval ?? .zero, terms.polling.firstAfter ?? .zero)
        let left = issued.lifetime - wait
        let asleep = plan.viewer.tvSleeps ? standby : .zero
        let times = signInTimes(issued)
        /// Whether somebody is done that long before the code's end, where each takes so much longer.
        func isInTime(_ delay: Duration = .zero, _ wait: Duration = .zero) -> Bool {
            times.contains { max($0 + delay, asleep) + wait < left }
        }
        if isInTime() {
            let (held, late) = delayByRig
            let delay = held + late
            guard isInTime(delay) else {
                return held < late ? Self.endedWhileLate : Self.endedWhileDelayed
            }
            return isInTime(delay, codeWait)
                ? inTime(reported: reported)
                : .abandoned(
                    "the service took \(ours: Self.words(codeWait)) to issue the code, and too little of its lifetime of "
                        + "\(ours: Self.words(issued.lifetime)) was left",
                    by: .service)
        }
        guard issued.lifetime < terms.code.expectedLifetime else {
            return .abandoned("\(ours: HouseholdRecord.tooLate)", by: .viewer)
        }
        let asked = terms.code.lifetime.map { ", and the rig asks for \(Self.words($0))" } ?? ""
        let life = Self.words(issued.lifetime) + asked
        return .abandoned(
            "\(ours: HouseholdRecord.tooLate)\(ours: HouseholdRecord.codeTooShort) \(ours: life)",
            by: .viewer)
    }

    /// The code of an order has run out. A viewer who was done before the TV's last poll was sent, at `asked`, was in time.
    /// `lost`: a poll before, whose response may have had the token. Whoever redeems a code that serves once ends it
    /// (RFC 6749, 5.2).
    func ranOut(
        _ order: PollOrder, asked: Instant?, reported: Bool, after lost: Answered? = nil
    ) -> StopReason {
        let reason = whyOver(order, asked: asked, reported: reported)
        guard let lost, !isCodeOver, dialect.pages != nil,
            case .abandoned(_, by: .service) = reason
        else { return reason }
        let name = lost.exchange.operation.name
        return .abandoned(
            "the response to \(ours: name) #\(ours: "\(lost.exchange.sequence)") was lost or could not be read, and the code was no longer valid after "
                + "it: that response may have had the token", by: .service)
    }

    private func whyOver(_ order: PollOrder, asked: Instant?, reported: Bool) -> StopReason {
        switch order.whenOver {
        // What has delayed it since counts.
        case .abandoned(_, by: .service), .abandoned(_, by: .run):
            return codeRanOut(order.issued, reported: reported)
        default: break
        }
        guard case .abandoned(_, by: .viewer) = order.whenOver, let phoneDone, let asked,
            phoneDone < asked
        else { return order.whenOver }
        return hasRefused ? .refusedByViewer : inTime(reported: reported)
    }

    /// The phone was under way when the TV had no poll left, and was done before the code's end.
    func noteSignInAfterLastPoll() {
        guard record.fate == .abandoned, record.cause.hasPrefix(HouseholdRecord.tooLate),
            let phoneDone, let codeEnd, phoneDone < codeEnd
        else { return }
        let life = record.cause.dropFirst(HouseholdRecord.tooLate.count)
        record.cause =
            hasRefused
            ? shown(StopReason.refusedByViewer.words) : HouseholdRecord.tooLateForPoll + life
        noteRecord()
    }

    private func inTime(reported: Bool) -> StopReason {
        .abandoned(
            isCodeOver
                ? "the code expired although the viewer was in time"
                : reported
                    ? "the code was no longer valid before its lifetime was over, although the viewer was in time"
                    : "the TV saw no token although the viewer was in time, and its next poll would have come after the "
                        + "code's end",
            by: .service)
    }

    private static let endedWhileDelayed = StopReason.abandoned(
        "\(ours: HouseholdRecord.delayed)", by: .run)
    private static let endedWhileLate = StopReason.abandoned(
        "\(ours: HouseholdRecord.late)", by: .run)

    /// `5 s`, `1.5 s`, `1 ms`: rounded to a tenth.
    static func words(_ life: Duration) -> String {
        let milliseconds = life.nanoseconds / 1_000_000
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }

    /// Until when the sign-in lasts that an answer showed. Of two providers' the one that lasts longer counts: what is
    /// refused before is an error as ever.
    func note(signInBy answered: Answered) {
        let end = serviceClock.earliestEnd(of: answered)
        guard isAtAnotherProvider else {
            tv.device.signInEnd = end
            return
        }
        let other = tv.device.signInEnd
        tv.device.signInEnd = end.flatMap { end in other.map { max($0, end) } }
    }

    /// The sign-in is over by its own expiry: the answer that there is none is correct.
    var isSignInOver: Bool { tv.device.isSignInOver(at: lane.now) }

    /// The code's lifetime, as the service gave it, is over: a rejection of the code on the TV is correct.
    var isCodeOver: Bool { codeEnd.map { lane.now >= $0 } ?? false }

    /// From the code on the screen to the end of the login: what is human in it, of each viewer who is to
    /// sign in with the code.
    private func signInTimes(_ issued: IssuedCode) -> [Duration] {
        let viewer = plan.viewer
        var times = plan.second.map { [$0.noticesCode + $0.signsIn] } ?? []
        if !viewer.givesUp, !viewer.isTooLate, !signsInBothWays {
            let logins = 1 + (viewer.cancels ? 1 : 0) + (viewer.mistypesPassword ? 1 : 0)
            let mistypes = viewer.mistypesCode && isTyped(issued)
            let looks = (mistypes ? 1 : 0) + (viewer.typesSmall ? 1 : 0)
            let outage: Duration = viewer.losesNetwork ? Self.outage : .zero
            times.append(
                viewer.noticesCode + viewer.signsIn * logins + Self.secondLook * looks + outage)
        }
        return times
    }

    /// Whether somebody types the code: not where the link has it in it, or where requests of the rig's enter it.
    private func isTyped(_ issued: IssuedCode) -> Bool {
        guard dialect.pages != nil else { return true }
        let credential = Credential(device: phone.device.identity, bearer: nil)
        return dialect.authenticate(issued, mvpd: nil, credential)?.address == issued.page
    }
}

extension Answered {
    /// Whether it may have had a token that could not be read.
    var mayHaveLostToken: Bool {
        switch answer {
        case .fault: true
        case .unanswered(_, let reached): reached
        default: false
        }
    }
}
