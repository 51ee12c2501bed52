internal import Checker

extension Findings {
    /// `order of the SDK's callbacks judged in 30 households`; nil for a run without an SDK.
    var callbackSentence: String? {
        guard sdkHouseholds > 0 else { return nil }
        return "order of the SDK's callbacks judged in "
            + Figures.counted(sdkHouseholds, "household")
    }
}
