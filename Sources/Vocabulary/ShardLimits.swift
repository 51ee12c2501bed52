/// How far a run can be split.
public enum ShardLimits {
    /// The most shards of a run: the most completions that an Indexed Job of Kubernetes may have. A history that names
    /// more is damaged, because a merge goes through all numbers to find the missing ones.
    public static let countAtMost = 100_000
}
