/// At which provider a session's login may have been: the session's as its browser was sent there, which another
/// phone may have changed by then (rest-v2.md § 5.2, later values win; B44).
///
/// ```text
/// phone      resume: m                   authenticate: sent to n    login, with the account at m
/// phone-2              resume: n
/// ```
struct ProviderChoices: Sendable {
    /// A request that named a provider for a session.
    private struct Choice {
        var mvpd: UInt64
        var screen: UInt8
        var call: Int64
        var ret: Int64
        /// The service said so, about this session: only then it has surely taken another provider's place.
        var isCertain: Bool
    }

    /// When a screen's browser may have been sent to the provider.
    private struct Departure {
        var screen: UInt8
        var call: Int64
        var ret: Int64
    }

    /// By the position of the code's life.
    private var choices: [Int: [Choice]] = [:]
    private var departures: [Int: [Departure]] = [:]
    /// Of providers and of logins, by their marks.
    private var names: [UInt64: String] = [:]

    mutating func keep(_ name: String, as mark: UInt64) {
        if names[mark] == nil { names[mark] = name }
    }

    func name(_ mark: UInt64) -> String? { names[mark] }

    /// `deadline`: so long after its call a request without an answer may take effect, in nanoseconds.
    mutating func note(_ mvpd: UInt64, of life: Int, _ operation: Observed, deadline: Int64) {
        let isCertain =
            operation.effect == .success && operation.flags.isDisjoint(with: [.edge, .anothers])
        let ret = isCertain ? operation.ret : max(operation.ret, operation.call.plus(deadline))
        choices[life, default: []].append(
            Choice(
                mvpd: mvpd, screen: operation.screen, call: operation.call, ret: ret,
                isCertain: isCertain))
    }

    /// Whether a request named that provider for the session.
    func names(_ mvpd: UInt64, of life: Int) -> Bool {
        choices[life]?.contains { $0.mvpd == mvpd } ?? false
    }

    /// A browser asked where to log in.
    mutating func noteDeparture(_ operation: Observed, of life: Int) {
        departures[life, default: []].append(
            Departure(screen: operation.screen, call: operation.call, ret: operation.ret))
    }

    /// Whether more than one login began with the code: the newer may have taken the older one's place, whose end then says
    /// nothing of success.
    func isContested(_ life: Int) -> Bool { departures[life, default: []].count > 1 }

    /// The providers, other than its account's, that a login by that screen may have been at.
    func others(than own: UInt64, of life: Int, _ login: Observed, visibility: Int64) -> [UInt64] {
        guard let named = choices[life], named.contains(where: { $0.mvpd != own }) else {
            return []
        }
        let left = (departures[life] ?? []).filter {
            $0.screen == login.screen && $0.call <= login.call
        }
        // Without one the browser may have left at any time before.
        let from = (left.map(\.call).min() ?? .min).plus(-visibility)
        let until = left.map(\.ret).max() ?? login.call
        var found: [UInt64] = []
        for choice in named
        where choice.mvpd != own && choice.call <= until && !found.contains(choice.mvpd) {
            // A screen does one thing after the other, even at one instant.
            let isReplaced = named.contains {
                $0.isCertain && $0.mvpd != choice.mvpd && $0.call > choice.ret
                    && ($0.ret < from || $0.screen == login.screen && $0.ret == from)
            }
            if !isReplaced { found.append(choice.mvpd) }
        }
        return found
    }
}
