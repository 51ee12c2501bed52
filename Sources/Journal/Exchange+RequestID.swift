extension Exchange {
    /// Headers by which services name an answer, the first of them first: what their teams find it by in their logs.
    private static let requestHeaders = [
        "Adobe-Request-Id", "X-Request-Id", "CF-Ray", "X-Amz-Request-Id", "X-Amzn-RequestId",
        "X-Amz-Cf-Id",
    ]

    /// What the service calls its answer; nil where it says nothing.
    public var requestID: String? {
        Self.requestHeaders.lazy.compactMap { evidence[$0] }.first
    }
}
