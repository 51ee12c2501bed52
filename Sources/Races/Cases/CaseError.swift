/// What is wrong with a case as a file.
public enum CaseError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable(file: String, reason: String)
    case unwritable(file: String, reason: String)
    /// `place` is where it stops making sense, or empty.
    case notJSON(file: String, place: String)
    case otherSchema(file: String, found: String)
    /// `key` is its path: `ops[2].anchor.event`.
    case missing(file: String, key: String, wanted: String)
    case wrong(file: String, key: String, found: String, wanted: String)
    /// What somebody named as the findings of an earlier race.
    case notBaseline(file: String, reason: String)
    /// `name` is the case's.
    case otherProtocol(name: String, from: String, to: String, reason: String)

    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
        case .unwritable(let file, let reason): "\(file) cannot be written: \(reason)"
        case .notJSON(let file, let place):
            "\(file) is not valid JSON\(place.isEmpty ? "" : ", from \(place) on"); a case is a "
                + "file that 'race' or 'run' writes to cases/*.json"
        case .otherSchema(let file, let found):
            "\(file): schema is '\(found)'; this version reads '\(Case.schema)'"
        case .missing(let file, let key, let wanted):
            "\(file): \(key) is missing; it must be \(wanted)"
        case .wrong(let file, let key, let found, let wanted):
            "\(file): \(key) is \(found); it must be \(wanted)"
        case .notBaseline(let file, let reason):
            "\(file) is no baseline: \(reason); a baseline is the directory of an earlier 'screenrig race', or its "
                + "summary.json (schema '\(RaceText.schema)')"
        case .otherProtocol(let name, let from, let to, let reason):
            "\(name) was found over \(from) and cannot be replayed over \(to): \(reason); replay "
                + "it with --set target.protocol=\(from)"
        }
    }
}
