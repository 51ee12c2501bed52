/// What the machine that sends the load allows; measured by the caller.
public struct MachineLimits: Sendable, Hashable {
    /// Descriptors that the process may open now, and that it may raise the limit to.
    public var descriptors: Int
    public var descriptorsAtMost: Int
    /// Ephemeral ports of one source address.
    public var ports: Int
    public var cores: Int
    /// Addresses that the rig wants to send from, and that are not this machine's.
    public var foreignSources: [String]

    public init(
        descriptors: Int, descriptorsAtMost: Int, ports: Int, cores: Int,
        foreignSources: [String] = []
    ) {
        self.descriptors = descriptors
        self.descriptorsAtMost = descriptorsAtMost
        self.ports = ports
        self.cores = cores
        self.foreignSources = foreignSources
    }
}
