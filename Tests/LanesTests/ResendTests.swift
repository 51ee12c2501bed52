import Dialects
import Journal
import TestSupport
import Testing
import Vocabulary

@testable import Lanes

/// A service that closes the kept connection under each request, and answers on a new one unless it
/// `isGone`.
private final class Closing: Transport {
    private unowned let lane: Lane
    private let kind: TransportError.Kind
    private let isGone: Bool
    private let status: Int

    init(_ lane: Lane, _ kind: TransportError.Kind, isGone: Bool, status: Int) {
        (self.lane, self.kind, self.isGone, self.status) = (lane, kind, isGone, status)
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        end(.lost(TransportError(kind, "closed")), after: .milliseconds(2), completion)
    }

    func startAnew(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        end(
            isGone
                ? .lost(TransportError(.staleConnection, "closed"))
                : .answered(Reply(status: status)), after: .milliseconds(3), completion)
    }

    private func end(
        _ result: Transfer.Result, after delay: Duration, _ completion: @escaping (Transfer) -> Void
    ) {
        let sent = lane.now
        lane.at(sent + delay) { [lane] in
            completion(Transfer(sent: sent, firstByte: nil, ended: lane.now, result: result))
        }
    }

    func retire(_ device: Device) {}
    func abort() {}
}

@Suite("A kept connection that is closed under a request")
struct ResendTests {
    private func exchanges(
        _ method: Dialects.Method, _ kind: TransportError.Kind = .staleConnection,
        isGone: Bool = false, limits: RateLimits? = nil, of operation: OperationName = .pollToken,
        status: Int = 404
    ) -> [Exchange] {
        let sink = Collected()
        let lane = Lane(
            index: 0, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(run: "r", fingerprinter: Fingerprinter(key: 1)),
            sink: sink)
        let transport = Closing(lane, kind, isGone: isGone, status: status)
        lane.use(transport)
        if let limits { lane.hold(to: limits) }
        let call = Call(
            operation, method,
            WebAddress(origin: Origin(scheme: .http, host: "127.0.0.1", port: 1), target: "/poll"))
        lane.start { _ = await lane.send(call, from: plainDevice()) }
        lane.run { true }
        return sink.exchanges
    }

    @Test(
        "an idempotent request is sent again once, and both copies are exchanges",
        arguments: [Dialects.Method.get, .put, .delete, .options])
    func again(method: Dialects.Method) {
        let exchanges = exchanges(method)
        #expect(exchanges.map(\.sequence) == [1, 2])
        #expect(exchanges.map(\.outcome) == [.resent, .pending])
        #expect(exchanges.allSatisfy { !$0.isError })
        guard case .unknown(let error) = exchanges[0].delivery else {
            Issue.record("the service may have acted on the first copy")
            return
        }
        #expect(error.kind == .staleConnection)
        // What the first copy took is neither the rig's lateness nor the service's time for the second.
        #expect(exchanges[1].lateness == .zero && exchanges[1].service == .milliseconds(3))
        #expect(exchanges[1].planned == exchanges[0].ended)
    }

    @Test(
        "the second copy of a logout or a deletion that finds nothing left to end is no error; any other refusal is",
        arguments: [
            (OperationName.logout, 404, false), (.logout, 410, false), (.logout, 400, true),
            (.logout, 500, true), (.deleteRegistration, 404, false), (.configuration, 404, true),
        ])
    func alreadyEnded(operation: OperationName, status: Int, isError: Bool) {
        let exchanges = exchanges(.delete, of: operation, status: status)
        #expect(exchanges.map(\.isError) == [false, isError])
        #expect(exchanges.first?.outcome == .resent)
        if !isError {
            #expect(exchanges.last?.outcome == .pending)
            #expect(exchanges.last?.deviations.isEmpty == true)
        }
    }

    @Test("a POST is not: it is lost, as the device's app sees it")
    func post() {
        let exchanges = exchanges(.post)
        #expect(exchanges.map(\.outcome) == [.transport])
        #expect(exchanges.first?.reason == "stale-connection" && exchanges.first?.isError == true)
    }

    @Test(
        "any other loss is no reason to send again",
        arguments: [TransportError.Kind.connectionLost, .timeout])
    func other(kind: TransportError.Kind) {
        #expect(exchanges(.get, kind).count == 1)
    }

    @Test("a second loss is an error, and the last")
    func twice() {
        let exchanges = exchanges(.get, isGone: true)
        #expect(exchanges.map(\.outcome) == [.resent, .transport])
        #expect(exchanges.map(\.isError) == [false, true])
    }

    @Test("the second copy keeps to the ceiling of requests, too")
    func ceiling() {
        let exchanges = exchanges(.get, limits: RateLimits(perSecond: 10))
        #expect(exchanges[1].sent - exchanges[0].sent >= .milliseconds(90))
        #expect(exchanges[1].lateness == .zero)
    }
}
