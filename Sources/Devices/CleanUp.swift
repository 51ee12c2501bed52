internal import Dialects
internal import Journal
internal import Lanes

/// What a household leaves at the service unless it takes it back.
struct Traces {
    struct Issued {
        var code: Code
        /// When it runs out by itself.
        var until: Instant
    }

    /// Codes that may still live.
    var codes: [Issued] = []
    /// The service may hold a sign-in of its TV.
    var signedIn = false
}

extension Household {
    /// Logs out and deletes codes (rigs/reference.yaml, `clean-up`). Its exchanges are recorded, and being
    /// turned down is no error here: the service may have cleaned up itself. No failure changes the
    /// household's fate.
    @inline(never)
    func cleanUp() async {
        var goesOn = true
        if traces.signedIn {
            repeat {
                goesOn = await takeBack { dialect.logout($0) }
                forgetProvider()
            } while goesOn && !signedInAt.isEmpty
        }
        for issued in traces.codes where goesOn && lane.now < issued.until {
            goesOn = await takeBack { dialect.delete(issued.code, $0) }
        }
        traces = Traces()
    }

    /// Whether there is sense in going on.
    private func takeBack(_ make: (Credential) -> Call?) async -> Bool {
        do throws(StopReason) {
            _ = try await ask(tv, isProvoked: true, make)
        } catch {
            if case .stopped = error { return false }
        }
        return true
    }
}
