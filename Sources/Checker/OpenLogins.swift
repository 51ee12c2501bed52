internal import Dialects
internal import Journal
internal import Vocabulary

/// Logins whose credentials have been posted, while it is not known which of their requests signs in: one for each screen.
/// A sign-in lies between its earliest and its latest possible request, and is judged as one operation of that interval.
///
/// ```text
///                                   credentials    hop    hop to the app
/// a provider's answer was brought       ...       [SAML]                  its own request: the service had no other way
/// its answer leads on                   ...       [SAML ------]           one sign-in, to where it leads back or ends
/// nothing shows which it was           [------------------]               nothing before is excused, nothing within accused
/// it ended on a page                   [-----------]                      the same, and there may be no sign-in
/// that page asks for the credentials   [-----------]                      it was turned down
/// ```
///
/// A decision on a device is the same where its answer is a redirect that does not show its result: one operation from the
/// decision to the page on which it ends. That page shows the result, which was confirmed from then on only.
struct OpenLogins {
    private var open: [Observed] = []
    /// In nanoseconds: a request that is ready waits for less, unless it is held back or its connection is made.
    private static let held: Int64 = 100_000

    /// When the first of them began; what comes after it is not judged yet.
    @inline(__always)
    var earliest: Int64 {
        guard !open.isEmpty else { return .max }
        return open.reduce(.max) { min($0, $1.call) }
    }

    /// Whether an exchange is a login's hop that may sign in, and after which others may: one that names the account, or
    /// whose answer leads on. It is then a sign-in that may have taken effect.
    @inline(__always)
    func isHop(_ exchange: UnsafePointer<Exchange>, _ operation: inout Observed) -> Bool {
        if exchange.pointee.observation.result == .ledOn { return true }
        guard operation.step == .login, operation.effect != .denied,
            exchange.pointee.observation.tag != nil
        else { return false }
        operation.step = .finishLogin
        operation.effect = exchange.pointee.outcome == .ok ? .doubtful : .open
        return true
    }

    /// Whether an exchange is a decision whose result a later answer shows.
    @inline(__always)
    func isLedOn(_ exchange: UnsafePointer<Exchange>, _ operation: Observed) -> Bool {
        operation.operation.isDecision && operation.effect == .maybe && Self.isRedirect(exchange)
    }

    private static func isRedirect(_ exchange: UnsafePointer<Exchange>) -> Bool {
        (300..<400).contains(exchange.pointee.delivery.status ?? 0)
    }

    /// Takes a page after a decision that was led on, and gives the decision where that was its end.
    private mutating func takePage(
        _ operation: inout Observed, _ exchange: UnsafePointer<Exchange>, of position: Int
    ) -> Observed? {
        open[position].ret = max(open[position].ret, operation.ret)
        let result = exchange.pointee.observation.result
        if result == .none, Self.isRedirect(exchange) { return nil }
        if exchange.pointee.outcome == .ok, result != .none {
            open[position].effect = result == .success ? .success : .doubtful
        }
        // It was the decision's, not the page's.
        operation.effect = .nothing
        return open.remove(at: position)
    }

    /// Takes what a screen did next. Gives the login that it shows to have ended on a page, if there was one.
    @inline(__always)
    mutating func take(
        _ operation: inout Observed, isHop: Bool, _ exchange: UnsafePointer<Exchange>
    ) -> Observed? {
        guard isHop || !open.isEmpty else { return nil }
        let screen = operation.screen
        if operation.operation == .verificationPage,
            let decision = open.firstIndex(where: {
                $0.screen == screen && $0.code == operation.code && $0.operation.isDecision
            })
        {
            return takePage(&operation, exchange, of: decision)
        }
        let isLast = operation.step == .finishLogin && !isHop
        let bringsAnswer = operation.operation == .assertion
        // Each decision is one of its own.
        let position =
            open.firstIndex {
                $0.screen == screen && $0.code == operation.code && !$0.operation.isDecision
            }
            ?? (isLast || bringsAnswer ? handedOver(to: operation) : nil)
        if isHop, let position {
            if bringsAnswer, open[position].operation != .assertion {
                // No request before it has signed in.
                open[position] = operation
                return nil
            }
            open[position].ret = max(open[position].ret, operation.ret)
            open[position].sequence = operation.sequence
            if operation.effect == .open { open[position].effect = .open }
            return nil
        }
        if isLast, let position {
            let login = open.remove(at: position)
            // With `error=` it is not known whether it brought an answer.
            if exchange.pointee.observation.result == .ledBack || operation.effect == .doubtful
                || login.operation == .assertion
            {
                operation.call = min(operation.call, login.call)
            }
            return nil
        }
        // A request that was held back, as in races, was made ready before the login went on: in a web view of the TV's own.
        if screen == 0, !isHop, operation.step != .login,
            operation.call - exchange.pointee.begun.nanoseconds > Self.held
        {
            return nil
        }
        var ended = open.firstIndex { $0.screen == screen }.map { open.remove(at: $0) }
        // The page to which the credentials led asks for them again: none of its requests signed in.
        if operation.step == .login, operation.effect == .denied, exchange.pointee.outcome == .ok,
            operation.code == ended?.code, ended?.operation.isDecision == false
        {
            ended?.effect = .denied
        }
        if isHop { open.append(operation) }
        return ended
    }

    /// The login that another screen began and this one ends: a race sends the last request from a connection of its own.
    private func handedOver(to operation: Observed) -> Int? {
        guard operation.code != 0 else { return nil }
        return open.firstIndex {
            $0.code == operation.code && $0.tag == operation.tag && !$0.operation.isDecision
        }
    }

    /// One of those that are left when the household ends.
    mutating func takeLast() -> Observed? { open.popLast() }
}
