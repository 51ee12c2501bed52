public import Dialects
internal import Formats
public import Journal

/// Ties a reply to its request, however much later it comes. Chosen by whoever brings the request.
public struct RequestID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// One request as it reached the service.
public struct ServiceRequest: Sendable, Hashable {
    public var id: RequestID
    /// Nil: a method that no protocol of ours uses.
    public var method: Method?
    /// Path and query as in the request line.
    public var target: String
    public var headers: Headers
    public var body: [UInt8]
    /// Address of the caller, without a port; the throttle's last resort.
    public var peer: String
    /// Whom the service draws for; nil where only the order of requests says, as over sockets.
    public var drawKey: DrawKey?

    public init(
        id: RequestID, method: Method?, target: String, headers: Headers = [:], body: [UInt8] = [],
        peer: String, drawKey: DrawKey? = nil
    ) {
        self.drawKey = drawKey
        self.id = id
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// One cookie of the request.
    func cookie(_ name: String) -> String? {
        for field in headers.fields where field.name.equalsIgnoringCase("Cookie") {
            if let value = Self.cookie(name, in: field.value.utf8Span.span) { return value }
        }
        return nil
    }

    /// The bearer of `Authorization`.
    var bearer: Substring? { headers["Authorization"].flatMap(Self.bearer(in:)) }

    /// The bearer that the text of an `Authorization` names.
    static func bearer(in header: String) -> Substring? {
        let bytes = header.utf8Span.span
        let scheme = "Bearer "
        guard bytes.count > 7, bytes.extracting(0..<7).equalsIgnoringCase(scheme.utf8Span.span)
        else { return nil }
        return header[header.utf8.index(header.startIndex, offsetBy: 7)...]
    }

    private static func cookie(_ name: String, in pairs: Span<UInt8>) -> String? {
        var position = 0
        while position < pairs.count {
            let end = pairs.first(UInt8(ascii: ";"), from: position)
            // Signs in front of a name are none.
            while position < end, pairs[position] == UInt8(ascii: "=") { position += 1 }
            let sign = min(pairs.first(UInt8(ascii: "="), from: position), end)
            if sign + 1 < end,
                pairs.extracting(pairs.trimmed(position..<sign)).isEqual(to: name)
            {
                return String(repairing: pairs.extracting(pairs.trimmed(sign + 1..<end)))
            }
            position = end + 1
        }
        return nil
    }

    /// By what the throttle tells devices apart. `X-Forwarded-For` has one address; of a list, the
    /// first is the device.
    var throttleIdentity: String {
        guard let forwarded = headers["X-Forwarded-For"], !forwarded.isEmpty else { return peer }
        let bytes = forwarded.utf8Span.span
        let end = bytes.first(UInt8(ascii: ","))
        guard end < bytes.count else { return forwarded }
        return String(repairing: bytes.extracting(0..<end)).trimmingSpaces()
    }
}

/// Something that the service does later than it was asked: opaque outside, so that whoever drives
/// the service only keeps it until its time.
public struct Deed: Sendable, Hashable {
    enum Act: Sendable, Hashable {
        /// `/_standin/approve` with a delay.
        case approve(Approval)
        /// Of a fault.
        case fault(FaultDeed)
    }

    let act: Act
    /// Whom the service draws for; that of the request that it comes from.
    var drawKey: DrawKey?

    init(act: Act, drawKey: DrawKey? = nil) {
        self.act = act
        self.drawKey = drawKey
    }
}

/// What the service wants done. Answering and acting are apart, so that a fault may answer first and
/// act later, or never answer.
public enum Effect: Sendable {
    /// Send this, `after` that long.
    case reply(Reply, to: RequestID, after: Duration)
    /// Come back with the deed at that instant, in order of setting among equals.
    case again(Deed, at: Instant)
    /// Break the connection that this came on instead of answering.
    case reset(RequestID)
}

extension Span<UInt8> {
    /// A range without ASCII spaces, tabs and line ends at both ends.
    fileprivate func trimmed(_ range: Range<Int>) -> Range<Int> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(self[start]) { start += 1 }
        while end > start, isSpace(self[end - 1]) { end -= 1 }
        return start..<end
    }
}
