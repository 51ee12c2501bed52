internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// What viewers do wrong. The service has to turn each of these down, and is not blamed for it: the
/// requests are marked as provoked (rigs/reference.yaml, `thresholds`).
extension Household {
    /// Types the code that the TV showed before, or one that nobody was given, is told so, and looks at the TV
    /// again. `mvpd`: the provider that its session would be given (rest-v2.md § 5.3).
    func mistypeCode(_ code: Code, mvpd: String? = nil) async throws(StopReason) {
        let wrong = formerCode ?? code.mistyped
        try await provoke(phone) {
            guard let mvpd else { return dialect.record(of: wrong, $0) }
            return dialect.completeSession(wrong, mvpd: mvpd, $0)
        }
        try await human(Self.secondLook)
    }

    /// Comes back to a code that has run out. There is no signing in with it.
    func comeTooLate(_ issued: IssuedCode) async throws(StopReason) {
        let began = lane.now
        try await nap(issued.lifetime + Self.secondLook)
        noteViewerTime(since: began)
        try await provoke(phone) { dialect.record(of: issued.code, $0) }
        throw .abandoned("the viewer typed the code after it had expired", by: .viewer)
    }

    /// Goes as far as the provider's page, and cancels there. The code stays good (rest-v1.md § 6.3).
    func cancelLogin(_ issued: IssuedCode, provider: String?) async throws(StopReason) {
        try await walkLogin(issued, provider: provider, as: person, cancels: true)
        record.phoneDone = nil
    }

    /// Types the code in once more, after it has served: it is spent (rest-v1.md § 6.3, BOUND).
    func typeAgain(_ issued: IssuedCode, provider: String?) async throws(StopReason) {
        try await human(Self.secondLook)
        try await provoke(phone) { dialect.record(of: issued.code, $0) }
        try await provoke(phone) { dialect.authenticate(issued, mvpd: provider, $0) }
    }

    /// Reading seven characters off a TV and typing them again.
    static let secondLook: Duration = .seconds(2)

    /// Asks for what ought to be turned down; whatever is answered, the story goes on.
    private func provoke(
        _ screen: Screen, _ make: (Credential) -> Call?
    ) async throws(StopReason) {
        do throws(StopReason) {
            _ = try await ask(screen, isProvoked: true, make)
        } catch {
            if case .stopped = error { throw error }
        }
    }
}

extension Code {
    /// The code with its last character replaced by the next one of the alphabet: a slip of a finger.
    var mistyped: Code {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        guard let last = text.last else { return Code("A") }
        let position = alphabet.firstIndex(of: last) ?? 0
        return Code(String(text.dropLast()) + String(alphabet[(position + 1) % alphabet.count]))
    }
}
