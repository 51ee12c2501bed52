public import Foundation

/// The clone that is tested.
public enum Repository {
    public static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    public static let rigs = root.appending(path: "rigs")
}
