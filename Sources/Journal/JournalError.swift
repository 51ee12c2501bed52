/// What can go wrong with a history, in sentences for the user.
public enum JournalError: Error, Hashable, Sendable {
    case notFound(path: String)
    /// A file that is not called history.sqlite.
    case notARun(path: String)
    case notAHistory(path: String)
    case otherVersion(path: String, found: String)
    case locked(path: String)
    /// The run directory's disk cannot even hold the reserve.
    case noSpace(path: String, needed: Int)
    case cannotCreate(path: String, reason: String)
    case cannotRead(path: String, reason: String)
    /// A row that cannot be what screenrig wrote.
    case damaged(path: String, what: String)
    /// `--out` names a directory that holds something.
    case notEmpty(path: String)
    /// `latest~3` where only two runs are.
    case noSuchRun(argument: String, runs: Int, folder: String)
}

extension JournalError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notFound(let path):
            "there is no history at \(path); name a run directory, its history.sqlite, or latest"
        case .notARun(let path):
            "\(path) is no run directory, and not its history.sqlite; put the copy of a history into a directory of its "
                + "own, as history.sqlite, and name that"
        case .notAHistory(let path):
            "\(path) is not a history of screenrig; name a run directory or its history.sqlite"
        case .otherVersion(let path, let found):
            "\(path) has the schema \(found), and this screenrig reads \(HistorySchema.version); "
                + "use the screenrig that wrote it"
        case .locked(let path):
            "\(path) is locked by another program; close it and try again"
        case .noSpace(let path, let needed):
            "the disk of \(path) has less than \(needed / 1_048_576) MB left, too little for a "
                + "report; free some space or write elsewhere with --out DIR"
        case .cannotCreate(let path, let reason):
            "\(path) cannot be written: \(reason); choose another place with --out DIR"
        case .cannotRead(let path, let reason):
            "\(path) cannot be read: \(reason)"
        case .damaged(let path, let what):
            "this history is damaged: \(what) (\(path)); use the run's own file, or a backup"
        case .notEmpty(let path):
            "\(path) is not empty, and a run never overwrites; name a new directory with --out DIR"
        case .noSuchRun(let argument, let runs, let folder):
            runs == 0
                ? "\(argument) names no run: there is none under \(folder) yet"
                : "\(argument) names no run: "
                    + (runs == 1
                        ? "there is one under \(folder), latest"
                        : "there are \(runs) under \(folder), latest to latest~\(runs - 1)")
        }
    }
}
