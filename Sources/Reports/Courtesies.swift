internal import Journal
internal import Statistics

// What a reader must know about requests that were held back, and about households that had signed
// in before the run began.
extension Summary {
    static func holds(_ restraint: Restraint) -> [String] {
        guard restraint.heldBack > 0 else { return [] }
        let many = restraint.heldBack != 1
        let longest = Figures.time(milliseconds: restraint.longestHold.milliseconds)
        return [
            "\(Figures.counted(restraint.heldBack, "request")) \(many ? "were" : "was") held back by "
                + "max-rate or the ramp of new connections, \(many ? "the longest " : "")for "
                + "\(longest): the load was gentler than the rig asks for; times count from when a "
                + "request might leave"
        ]
    }

    static func preSignIns(_ households: Households) -> [String] {
        guard households.preSignedIn > 0 else { return [] }
        let one = households.preSignedIn == 1
        return [
            "\(Figures.counted(households.preSignedIn, "household")) found \(one ? "itself" : "themselves") "
                + "signed in on arrival, by an earlier run with the same device ids; \(one ? "it is" : "they are") "
                + "in no sign-in time (identities: per-run avoids it)"
        ]
    }
}
