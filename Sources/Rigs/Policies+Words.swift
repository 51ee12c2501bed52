public import Vocabulary

extension Policies {
    /// What each policy of a rig settles, in the order of the format: for `screenrig explain`.
    public static var words: [(name: String, text: String, fallback: String)] {
        RigFormat.policies.map { ($0.name, $0.text, $0.fallback ?? "") }
    }
}
