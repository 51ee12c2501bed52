internal import Dialects
internal import Journal
internal import Lanes

/// A TempPass: plays for a while without anybody signing in (rest-v1.md § 10, N5; rest-v2.md § 11).
extension Household {
    @inline(never)
    func takePass() async throws(StopReason) {
        let offered = try await configuration(tv)?.filter(\.isTempPass)
        let wanted = plan.kind.pass?.provider
        guard let pass = offered?.first(where: { wanted == nil || $0.id == wanted }) else {
            throw .failed(
                wanted.map { "the configuration offers no TempPass provider \($0)" }
                    ?? "the configuration offers no TempPass provider")
        }
        guard let started = try await askIfKnown(tv, { dialect.freePreview(mvpd: pass.id, $0) })
        else {
            // The first decision starts it, and ends by itself: there is nothing to log out of.
            remember(pass.id)
            signedInNow(by: .pass)
            return
        }
        guard case .done = started.answer else { throw .refused(started) }
        signedInAtOnce(started, by: .pass)
    }
}
