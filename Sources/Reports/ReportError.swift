public import Checker

/// Why a report is incomplete.
public enum ReportError: Error, Sendable, Hashable {
    case unreadable(why: String)
    /// The rules in the header of the run's history cannot be read; `version` is of the screenrig that
    /// wrote them.
    case unjudgeable(run: String, why: RulesError, version: String)
    case unwritten(file: String, why: String)
    /// A report that was to go without names would have had one in it, of that many characters.
    case stillNamed(file: String, length: Int)
}

extension ReportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let why):
            "the history of the run cannot be read: \(why)"
        case .unjudgeable(let run, let why, let version):
            "\(run) cannot be checked: \(why); use the screenrig that recorded it (version \(version))"
        case .unwritten(let file, let why):
            "\(file) could not be written: \(why); "
                + (why.contains("ermission") ? "make it writable" : "free some space")
                + " or choose another directory with --out, then render the reports again with "
                + "screenrig report"
        case .stillNamed(let file, let length):
            "\(file) would still contain a name of a person or device (\(length) characters); nothing was "
                + "written"
        }
    }
}
