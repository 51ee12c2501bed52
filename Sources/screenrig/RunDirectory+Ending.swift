internal import Formats
internal import Journal
internal import Runner

extension RunDirectory {
    /// What is to be known of a run that may be going on: its record has no end, and was written to less than a minute ago.
    /// Nil of all others.
    func unendedSentence(_ history: History) -> String? {
        guard history.end == nil, isWritten(at: UTCTime(microseconds: WallClock.microseconds))
        else { return nil }
        return
            "\(path) may be going on: its record has no end, and was written to less than a minute ago"
    }
}
