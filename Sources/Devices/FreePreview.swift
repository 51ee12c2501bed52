internal import Dialects
internal import Journal
internal import Lanes

/// A TempPass: plays for a while without anybody signing in (rest-v1.md § 10, N5).
extension Household {
    func takePass() async throws(StopReason) {
        let offered = try await configuration(tv)
        guard let pass = offered?.first(where: \.isTempPass) else {
            throw .failed("the configuration offers no TempPass provider")
        }
        let started = try await ask(tv) { dialect.freePreview(mvpd: pass.id, $0) }
        guard case .done = started.answer else { throw .refused(started) }
        signedInAtOnce(started, by: .pass)
    }
}
