/// Which screenrig this is.
public enum Release {
    public static let version = "0.3.0"

    /// The end of every `User-Agent`: a device says what it is, and that it is none.
    static let mark = "screenrig/\(version)"
}
