internal import Dialects

/// Calls of web pages, in every protocol: second screens are often pages of the programmer's own origin
/// (observed.md), whose browser asks what they may send, and whether they may read the answer (the Fetch
/// standard, 3.2).
extension Service {
    /// What a browser asks before a page's call: allowed for every path, outside the throttle (rest-v2.md § 13,
    /// own), so that a page learns from the call itself what is wrong with it.
    mutating func preflight(at moment: Moment) -> Reply {
        counters.count(nil, status: 200)
        var reply = Reply(status: 200, headers: headers(nil, at: moment))
        Self.allowPages(&reply)
        reply.headers.append("Access-Control-Max-Age", "600")
        return reply
    }

    /// What pages may send (rest-v2.md § 13).
    static func allowPages(_ reply: inout Reply) {
        reply.headers.append("Access-Control-Allow-Origin", "*")
        reply.headers.append("Access-Control-Allow-Methods", "POST, GET, OPTIONS, DELETE")
        reply.headers.append(
            "Access-Control-Allow-Headers",
            "AP-Device-Identifier, AP-Session-Identifier, AP-SDK-Identifier, X-Device-Info, "
                + "authorization, content-type")
    }

    /// Each reply with what is said of its way: the replica that gave it, and that a page may read it.
    static func dressed(
        _ effects: [Effect], for request: ServiceRequest, by balancer: Balancer
    ) -> [Effect] {
        let isPages = request.method != .options && request.headers["Origin"] != nil
        guard isPages || balancer.node != nil else { return effects }
        return effects.map { effect in
            guard case .reply(var reply, let id, let delay) = effect else { return effect }
            if isPages, reply.headers["Access-Control-Allow-Origin"] == nil {
                reply.headers.append("Access-Control-Allow-Origin", "*")
                reply.headers.append(
                    "Access-Control-Expose-Headers",
                    "Adobe-Request-Id, Adobe-Response-Confidence, Date, Retry-After")
            }
            balancer.sign(&reply)
            return .reply(reply, to: id, after: delay)
        }
    }
}
