internal import Formats

extension Reply {
    /// How long the server asks to stay away (`Retry-After`; RFC 9110, 10.2.3): seconds, or an instant of the
    /// clock that its `Date` shows. At most ten years; nil where it says nothing that can be read.
    package var retryAfter: Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        let bytes = text.utf8Span.span
        if bytes.count > 0, ByteSet.digits.containsAll(bytes) {
            // What does not fit into the number is longer than anybody waits.
            return .seconds(min(Int64(text) ?? .max, RetryAfter.longest))
        }
        guard let then = UTCTime(http: text), let now = headers["Date"].flatMap(UTCTime.init(http:))
        else { return nil }
        return .seconds(min(max(then.seconds - now.seconds, 0), RetryAfter.longest))
    }

    /// The wait after a 429: a second (rest-v1.md § 14, rest-v2.md § 13), or as long as the server asks.
    var throttlePause: Duration { max(.seconds(1), retryAfter ?? .zero) }
}

private enum RetryAfter {
    /// In seconds.
    static let longest = Times.longestLife / 1000
}

extension Reading {
    /// The same for a server that fails and says for how long (RFC 9110, 15.6.4).
    func heeding(_ reply: Reply) -> Reading {
        guard reply.status >= 500, case .fault = answer, let pause = reply.retryAfter else {
            return self
        }
        var reading = self
        reading.answer = .unavailable(pause)
        return reading
    }
}
