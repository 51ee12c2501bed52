internal import Checker

extension Findings {
    /// `order of the SDK's callbacks judged in 30 households`; nil for a run without an SDK.
    var callbackSentence: String? {
        guard sdkHouseholds > 0 else { return nil }
        return "order of the SDK's callbacks judged in "
            + Figures.counted(sdkHouseholds, "household")
    }
}

extension Findings {
    /// `not judged from second 12 on: ...`; nil where everything was.
    var gapSentence: String? {
        unjudgedFrom.map {
            "not judged from second \($0.nanoseconds / 1_000_000_000) on: exchanges came faster than "
                + "they could be judged or written"
        }
    }
}
