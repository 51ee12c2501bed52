/// Why no manifest can be written for a rig.
public enum ManifestError: Error, Hashable, CustomStringConvertible {
    /// The rig names a file that is not below its own folder.
    case outside(path: String, folder: String)
    /// A file is missing, or is not UTF-8 text.
    case unreadable(path: String)
    /// Two files would have the same key in a ConfigMap, which has no folders.
    case alike(String, String)
    /// The rig and its files are larger than a ConfigMap may be.
    case tooLarge(bytes: Int)
    /// An engine would reject this name of a job.
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
