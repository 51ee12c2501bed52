import Dialects
import Vocabulary

extension Reader {
    /// Input: a reply as it comes over the connection. It is read as the answer to each operation.
    static let v1 = Reader("v1", limit: 4_096) { bytes in
        guard let reply = ParsedAnswer(bytes, inPiecesOf: max(1, bytes.count)).reply else {
            return nil
        }
        for call in calls {
            let reading = dialect.read(reply, to: call)
            if let broken = broken(reading) { return "\(call.operation): \(broken)" }
            let again = dialect.read(reply, to: call)
            guard again.outcome == reading.outcome, again.observation == reading.observation,
                again.deviations == reading.deviations
            else { return "\(call.operation): read twice it reads differently" }
        }
        _ = Wall.kind(of: reply)
        return nil
    }

    private static let origin = Origin(scheme: .http, host: "127.0.0.1", port: 8080)
    private static let dialect = V1(
        origin: origin, requestor: "DEMOTV", domain: "demo.test",
        redirectURL: "https://demo.test/done")

    /// Each operation at the addresses by which its readings differ.
    private static let calls = OperationName.allCases.flatMap { operation in
        ["/api/v1/tokens/authn", "/api/v1/checkauthn", "/api/v1/authenticate"].map { target in
            Call(operation, .get, WebAddress(origin: origin, target: target), resource: "news")
        }
    }

    /// A number of the service that arithmetic may overflow with: a duration lasts up to ten years,
    /// an instant lies between 1970 and 2200.
    private static func broken(_ reading: Reading) -> String? {
        let tenYears = Duration.seconds(315_576_000)
        switch reading.answer {
        case .code(let issued) where !(.milliseconds(1)...tenYears).contains(issued.lifetime):
            return "a code that lives \(issued.lifetime)"
        case .accessToken(let token) where !(.zero...tenYears).contains(token.lifetime):
            return "an access token that lives \(token.lifetime)"
        case .slow(let wait) where !(.zero...tenYears).contains(wait): return "a wait of \(wait)"
        default: break
        }
        for instant in [reading.observation.generated, reading.observation.expires] {
            if let instant, !(0...7_258_118_400_000).contains(instant) {
                return "an instant \(instant) ms after 1970"
            }
        }
        return nil
    }
}
