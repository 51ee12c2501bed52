/// What the page says an answer may be. The table grows with the conformance invariant; the device
/// itself is lenient.
extension V1 {
    /// Statuses of § 2, beside 401, 405, 429 and 500, which any endpoint may give.
    static func statuses(of operation: OperationName) -> [Int]? {
        switch operation {
        case .registerClient, .registrationCode: [201, 400]
        case .accessToken: [200, 201, 400]
        case .registrationRecord, .configuration: [200, 404]
        case .deleteRegistration: [204, 404]
        case .authenticate: [302, 400]
        case .assertion: [302, 503]
        case .checkCode, .checkAuthentication, .authorize, .mediaToken: [200, 403]
        case .pollToken: [200, 403, 404, 410]
        case .preauthorize: [200, 400, 403, 412]
        case .userMetadata: [200, 404, 412]
        case .logout: [204, 302]
        case .freePreview, .tokenExchange: [204, 400]
        case .profileRequest: [200, 400]
        case .preauthorizeCode: [200, 400, 403, 412]
        default: nil
        }
    }

    func deviations(of reply: Reply, to operation: OperationName) -> [Deviation] {
        var found: [Deviation] = []
        if let allowed = Self.statuses(of: operation), !allowed.contains(reply.status),
            ![400, 401, 403, 405, 429, 500].contains(reply.status)
        {
            let listed = allowed.map(String.init).joined(separator: ", ")
            found.append(
                Deviation(
                    rule: "rest-v1.md 2: \(operation.name) answers \(listed)",
                    found: "status \(reply.status)"))
        }
        let isHop =
            operation == .authenticate || operation == .mvpdLogin || operation == .assertion
        if !isHop, operation != .profileRequest, reply.status == 200, !reply.body.isEmpty,
            !reply.hasMediaType("application/json"), !reply.hasMediaType("application/xml")
        {
            found.append(
                Deviation(
                    rule: "rest-v1.md 3.2: Content-Type is application/json or application/xml",
                    found: reply.mediaType.isEmpty ? "none" : reply.mediaType))
        }
        return found
    }
}
