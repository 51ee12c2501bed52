internal import Checker
internal import Rendering

extension Findings {
    /// `order of SDK callbacks checked in 30 households`; nil for a run without an SDK.
    var callbackSentence: String? {
        guard sdkHouseholds > 0 else { return nil }
        return "order of SDK callbacks checked in "
            + Figures.counted(sdkHouseholds, "household")
    }
}

extension Findings {
    /// `not checked from second 12 on: ...`; nil where everything was.
    var gapSentence: String? {
        unjudgedFrom.map {
            "not checked from second \($0.nanoseconds / 1_000_000_000) on: requests came faster than they "
                + "could be checked or recorded"
        }
    }
}
