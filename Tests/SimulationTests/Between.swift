import Dialects
import Journal
import Lanes
import Standin
import Vocabulary

/// Between devices and the stand-in: hears every secret that passes, and may lose answers on their
/// way back, after the service has acted.
final class Between: Transport {
    private let service: InProcess
    private let loses: OperationName?
    private var hasLost: Set<DeviceID> = []
    private(set) var secrets: Set<String> = []

    /// Loses the first answer of `loses` to each device.
    init(_ service: InProcess, loses: OperationName? = nil) {
        self.service = service
        self.loses = loses
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        overhear(call)
        let isLost = call.operation == loses && hasLost.insert(device.id).inserted
        service.start(call, from: device) { [self] transfer in
            var transfer = transfer
            if case .answered(let reply) = transfer.result {
                overhear(reply)
                if isLost {
                    transfer.firstByte = nil
                    transfer.result = .lost(TransportError(.connectionLost, "lost on its way"))
                }
            }
            completion(transfer)
        }
    }

    func retire(_ device: Device) { service.retire(device) }
    func abort() { service.abort() }

    private func overhear(_ call: Call) {
        if let bearer = call.headers["Authorization"]?.split(separator: " ").last {
            keep(bearer)
        }
        let body = String(decoding: call.body, as: UTF8.self)
        for match in body.matches(of: /(?:pass[a-z]*|SAMLResponse|client_secret)=([^&]+)/) {
            keep(match.1)
        }
        keep(quoted: body)
    }

    private func overhear(_ reply: Reply) {
        keep(quoted: reply.text)
        for cookie in reply.headers.all("Set-Cookie") {
            if let match = cookie.firstMatch(of: /=([^;]+)/) { keep(match.1) }
        }
    }

    private func keep(quoted text: String) {
        let pattern =
            /"(?:access_token|client_secret|serializedToken|software_statement)" ?: ?"([^"]+)"/
        for match in text.matches(of: pattern) { keep(match.1) }
        for match in text.matches(of: /name="SAMLResponse" value="([^"]+)"/) { keep(match.1) }
    }

    /// Short words may stand anywhere by chance.
    private func keep(_ secret: some StringProtocol) {
        if secret.utf8.count >= 8 { secrets.insert(String(secret)) }
    }
}
