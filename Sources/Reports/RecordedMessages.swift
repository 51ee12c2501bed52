internal import Dialects
internal import Journal
internal import Rendering

extension ErrorRow {
    /// What was said in an exchange, line by line, and how to say it again.
    public struct RecordedMessages: Sendable, Hashable {
        /// Of the request, as it is kept.
        var url: String
        public var request: [String]
        /// Empty when no answer came.
        public var reply: [String]
        /// A `curl` line; secrets are environment variables, named in comments before it.
        public var curl: String

        /// Bodies are cut after so many characters: a report has 25 of these.
        private static let bodyLimit = 4_000
        private static let lineLimit = 600

        init(_ message: KeptMessage, bodyLimit: Int = Self.bodyLimit) {
            url = message.url
            let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
            let path = url[start...].drop { $0 != "/" }
            let host = url[start...].prefix { $0 != "/" }
            request =
                [
                    Sanitizer.line("\(message.method) \(path.isEmpty ? "/" : path)", limit: 1_000),
                    Sanitizer.line("Host: \(host)"),
                ] + Self.lines(message.requestHeaders, message.requestBody, bodyLimit)
            reply =
                message.status.map {
                    ["HTTP \($0)"]
                        + Self.lines(message.responseHeaders, message.responseBody, bodyLimit)
                } ?? []
            var writer = CurlText()
            let line = writer.line(message)
            curl = Sanitizer.lines(writer.preface + line)
        }

        private static func lines(
            _ headers: Headers, _ body: String, _ bodyLimit: Int
        ) -> [String] {
            let fields = headers.fields.map {
                Sanitizer.line("\($0.name): \($0.value)", limit: lineLimit)
            }
            if body.isEmpty { return fields }
            let cut = body.count > bodyLimit ? body.prefix(bodyLimit) + "\n…" : body[...]
            return fields + [""]
                + Sanitizer.lines(String(cut)).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).map(String.init)
        }
    }
}
