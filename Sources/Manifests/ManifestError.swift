/// Why there is no manifest of a rig.
public enum ManifestError: Error, Hashable, CustomStringConvertible {
    /// A file that the rig names, and that does not lie below the rig's folder.
    case outside(path: String, folder: String)
    case unreadable(path: String)
    /// Two files whose names are one as keys of a ConfigMap, which has no folders.
    case alike(String, String)
    /// More than a ConfigMap holds.
    case tooLarge(bytes: Int)
    /// The name of the job, which no engine would take.
    case name(String)

    public var description: String {
        switch self {
        case .outside(let path, let folder):
            "\(path) is not below \(folder), the folder of the rig, which is what the pods get; "
                + "move it there, and name it relative to the rig"
        case .unreadable(let path):
            "\(path) cannot be read; a ConfigMap needs it as UTF-8 text"
        case .alike(let one, let other):
            "\(one) and \(other) would have one name in a ConfigMap, which has no folders; rename one of them"
        case .tooLarge(let bytes):
            "the rig and its files have \(bytes) bytes, and a ConfigMap holds "
                + "\(RigBundle.bytesAtMost); build an image that has them"
        case .name(let name):
            "the name '\(name)' is not possible; use at most 40 lower-case letters, digits and '-', "
                + "and begin and end with a letter or digit"
        }
    }
}
