/// What the machine that sends the load allows; measured by the caller.
public struct MachineLimits: Sendable, Hashable {
    /// What `screenrig calibrate` found on this machine.
    public struct Measured: Sendable, Hashable {
        public var requestsPerSecond: Double
        public var lanes: Int
        /// Each exchange was recorded, as in a run; else only counted and timed.
        public var recordsAll: Bool
        /// `2026-11-21`.
        public var date: String

        public init(requestsPerSecond: Double, lanes: Int, recordsAll: Bool, date: String) {
            self.requestsPerSecond = requestsPerSecond
            self.lanes = lanes
            self.recordsAll = recordsAll
            self.date = date
        }
    }

    /// Descriptors that the process may open now, and that it may raise the limit to.
    public var descriptors: Int
    public var descriptorsAtMost: Int
    /// Ephemeral ports of one source address.
    public var ports: Int
    public var cores: Int
    /// What could be used without swapping; nil when the machine does not say.
    public var memoryMB: Int?
    /// Nil where nothing was measured.
    public var measured: Measured?
    /// Addresses that the rig wants to send from, and that are not this machine's.
    public var foreignSources: [String]

    public init(
        descriptors: Int, descriptorsAtMost: Int, ports: Int, cores: Int, memoryMB: Int? = nil,
        measured: Measured? = nil, foreignSources: [String] = []
    ) {
        self.descriptors = descriptors
        self.descriptorsAtMost = descriptorsAtMost
        self.ports = ports
        self.cores = cores
        self.memoryMB = memoryMB
        self.measured = measured
        self.foreignSources = foreignSources
    }
}
