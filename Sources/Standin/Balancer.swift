internal import Dialects
internal import Statistics

/// The load balancer in front of several replicas: whoever has no cookie of it gets the next replica and its
/// cookie, and stays there. Each answer tells which one gave it. Of a household with a key, the seed says where its
/// first request goes; those that follow it without a cookie go to the next.
struct Balancer: Sendable {
    private static let cookie = "STANDIN_NODE"
    private static let header = "X-Served-By"

    let nodes: Int
    /// The replica that has the request at hand, from 0; nil where there is only one.
    private(set) var node: Int?
    /// Whether that is the last one; nil where there is only one.
    var isLast: Bool? { node.map { $0 == nodes - 1 } }
    private var isNew = false
    private var next = 0
    private let seed: Seed

    init(nodes: Int, seed: Seed) {
        self.nodes = nodes
        self.seed = seed
    }

    mutating func receive(_ request: ServiceRequest) {
        guard nodes > 1 else { return }
        if let known = request.cookie(Self.cookie).flatMap(Int.init), (0..<nodes).contains(known) {
            node = known
            isNew = false
        } else if let key = request.drawKey {
            var dice = seed.child("household", key.household).generator()
            node = (dice.below(nodes) + key.request) % nodes
            isNew = true
        } else {
            node = next
            isNew = true
            next = (next + 1) % nodes
        }
    }

    /// Says who answered.
    func sign(_ reply: inout Reply) {
        guard let node else { return }
        reply.headers.append(Self.header, "node-\(node + 1)")
        if isNew { reply.headers.append("Set-Cookie", "\(Self.cookie)=\(node); Path=/") }
    }
}
