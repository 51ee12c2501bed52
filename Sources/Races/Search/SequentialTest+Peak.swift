internal import Statistics

extension SequentialTest {
    /// Against a peak rate: as good as the peak (`high`), or a tenth of it (`low`).
    init(peak: Double) {
        self.init(low: max(0.02, peak * 0.1), high: min(0.95, max(0.1, peak * 0.8)))
    }
}
