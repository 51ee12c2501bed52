internal import Journal
internal import Standin
internal import Signing
final class Listener: Sendable { let port = 0
 static func start(_ s: Service, host: String, port: Int, tls: CertificatePair?) async throws -> Listener { Listener() }
 func stop() async {} }
enum ProgressLine { static func text(_ p: Progress, planned: Int?) -> String { "\(p.elapsed) \(p.households.started)/\(planned ?? 0) \(p.completed)" } }
