public import Dialects

/// A request as it left and the reply as it came, secrets and all: in memory only, while it is not
/// yet known whether anybody will want to see it.
///
/// One object: it is handed on from lane to journal to shelf, and few are ever read.
public final class Message: Sendable {
    public let household: Int
    /// Of its exchange.
    public let sequence: Int
    public let call: Call
    /// Nil when none came.
    public let reply: Reply?
    /// What was known of the household's secrets by then.
    let secrets: KnownSecrets

    public init(
        household: Int, sequence: Int, call: Call, reply: Reply?,
        secrets: KnownSecrets = KnownSecrets()
    ) {
        self.secrets = secrets
        self.household = household
        self.sequence = sequence
        self.call = call
        self.reply = reply
    }

    /// About how many bytes it holds in memory.
    var weight: Int {
        let fields = call.headers.fields.count + (reply?.headers.fields.count ?? 0)
        return 512 + 96 * fields + call.body.count + (reply?.body.count ?? 0)
    }

    /// Bodies are cut after this many bytes.
    static let bodyLimit = 16_384

    /// Itself with bodies that no answer of megabytes can fill the memory with.
    var bounded: Message {
        guard max(call.body.count, reply?.body.count ?? 0) > Self.bodyLimit else { return self }
        var (call, reply) = (call, reply)
        call.body = Array(call.body.prefix(Self.bodyLimit))
        let received = reply?.body.prefix(Self.bodyLimit) ?? []
        reply?.body = Array(received)
        return Message(
            household: household, sequence: sequence, call: call, reply: reply, secrets: secrets)
    }
}

/// A request and its reply as a history keeps them: every secret in them is a fingerprint.
public struct KeptMessage: Sendable, Hashable {
    public var household: Int
    public var sequence: Int
    public var method: String
    public var url: String
    public var requestHeaders: Headers
    public var requestBody: String
    /// Nil when no reply came.
    public var status: Int?
    public var responseHeaders: Headers
    public var responseBody: String

    public init(
        household: Int, sequence: Int, method: String, url: String, requestHeaders: Headers = [:],
        requestBody: String = "", status: Int? = nil, responseHeaders: Headers = [:],
        responseBody: String = ""
    ) {
        self.household = household
        self.sequence = sequence
        self.method = method
        self.url = url
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.status = status
        self.responseHeaders = responseHeaders
        self.responseBody = responseBody
    }

    init(_ message: Message, _ gate: OutputGate) {
        let (call, reply) = (message.call, message.reply)
        func safe(_ headers: Headers) -> Headers { Headers(headers.fields.map(gate.header)) }
        self.init(
            household: message.household, sequence: message.sequence,
            method: call.method.rawValue,
            url: gate.address(call.address.origin.description + call.address.target),
            requestHeaders: safe(call.headers),
            requestBody: gate.body(call.body, mediaType: call.mediaType, isLogin: call.isLogin),
            status: reply?.status, responseHeaders: reply.map { safe($0.headers) } ?? [:],
            responseBody: reply.map { gate.body($0.body, mediaType: $0.mediaType) } ?? "")
    }

    /// Messages of one household with no secret left in them: what is secret in one of them is marked
    /// in all, wherever a service repeats it. `known` is what was secret before.
    static func kept(
        _ messages: [Message], _ gate: OutputGate, knowing known: inout KnownSecrets
    ) -> [KeptMessage] {
        for message in messages { known.note(message) }
        let knowing = gate.knowing(known)
        return messages.map { KeptMessage($0, knowing) }
    }

    /// Applies a change to each of its texts.
    public mutating func change(_ change: (String) -> String) {
        url = change(url)
        requestBody = change(requestBody)
        responseBody = change(responseBody)
        for headers in [\KeptMessage.requestHeaders, \.responseHeaders] {
            self[keyPath: headers] = Headers(
                self[keyPath: headers].fields.map { Headers.Field($0.name, change($0.value)) })
        }
    }
}
