/// Why a run cannot take place.
package enum RunError: Error, CustomStringConvertible {
    /// The rig says something that cannot be: where, what, and how to mend it.
    case badInput(String)
    /// The target cannot be reached or may not be, or the embedded stand-in cannot start.
    case couldNotRun(String)

    package var description: String {
        switch self {
        case .badInput(let message), .couldNotRun(let message): message
        }
    }
}
