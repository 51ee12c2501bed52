/// What the page says an answer may be. The table grows with the conformance invariant; the device
/// itself is lenient.
extension V1 {
    /// Statuses of § 2, beside 401, 405, 429 and 500, which any endpoint may give.
    static let statuses: [OperationName: Set<Int>] = [
        .registerClient: [201, 400], .accessToken: [200, 201, 400],
        .registrationCode: [201, 400], .registrationRecord: [200, 404],
        .deleteRegistration: [204, 404], .configuration: [200, 404], .authenticate: [302, 400],
        .assertion: [302, 503], .checkCode: [200, 403], .checkAuthentication: [200, 403],
        .pollToken: [200, 403, 404, 410], .preauthorize: [200, 400, 403, 412],
        .authorize: [200, 403], .mediaToken: [200, 403], .userMetadata: [200, 404, 412],
        .logout: [204],
    ]

    func deviations(of reply: Reply, to operation: OperationName) -> [Deviation] {
        var found: [Deviation] = []
        if let allowed = Self.statuses[operation], !allowed.contains(reply.status),
            ![400, 401, 403, 405, 429, 500].contains(reply.status)
        {
            let listed = allowed.sorted().map(String.init).joined(separator: ", ")
            found.append(
                Deviation(
                    rule: "rest-v1.md 2: \(operation.name) answers \(listed)",
                    found: "status \(reply.status)"))
        }
        if reply.status == 200, !reply.body.isEmpty, Self.isService(operation),
            !Self.isDocument(reply.mediaType)
        {
            found.append(
                Deviation(
                    rule: "rest-v1.md 3.2: Content-Type is application/json or application/xml",
                    found: reply.mediaType.isEmpty ? "none" : reply.mediaType))
        }
        return found
    }

    private static func isService(_ operation: OperationName) -> Bool {
        switch operation {
        case .authenticate, .mvpdLogin, .assertion: false
        default: true
        }
    }

    private static func isDocument(_ type: String) -> Bool {
        type == "application/json" || type == "application/xml"
    }
}
