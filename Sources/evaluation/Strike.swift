internal import Foundation
internal import Standin

/// What the stand-in says that a fault did, whether it stood in this process or in another.
struct Strike: Sendable {
    /// Somebody was answered so that it can be told from outside.
    var isObservable: Bool
    var household: Int?
    var otherHousehold: Int?
    /// `X-Screenrig` of the request at which it happened.
    var exchange: String?

    init(_ event: TruthEvent) {
        isObservable = event.kind == .observable
        (household, otherHousehold) = (event.household, event.otherHousehold)
        exchange = event.exchange
    }

    /// A line of `serve --truth FILE`; nil for what is none.
    init?(json: some StringProtocol) {
        guard
            let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
            let event = object["event"] as? String
        else { return nil }
        isObservable = event == TruthEvent.Kind.observable.rawValue
        household = object["household"] as? Int
        otherHousehold = object["otherHousehold"] as? Int
        exchange = object["exchange"] as? String
    }
}
