public import Dialects

/// As whom households ask the service: the app that the programmer has registered there, and the
/// protocol that it speaks.
public struct Application: Sendable, Hashable {
    public var protocolName: ProtocolName
    public var requestor: String
    /// Nil: one signed with the demo key of the stand-in.
    public var softwareStatement: Secret?

    public init(
        protocolName: ProtocolName, requestor: String, softwareStatement: Secret? = nil
    ) {
        self.protocolName = protocolName
        self.requestor = requestor
        self.softwareStatement = softwareStatement
    }
}

/// What a kind of household says of its application.
struct OwnApplication: Sendable, Hashable {
    var protocolName: ProtocolName?
    var requestor: String?
    var softwareStatement: Secret?

    /// Nil where it says nothing.
    func over(_ target: Application) -> Application? {
        guard self != OwnApplication() else { return nil }
        return Application(
            protocolName: protocolName ?? target.protocolName,
            requestor: requestor ?? target.requestor,
            softwareStatement: softwareStatement ?? target.softwareStatement)
    }
}

extension ProtocolName {
    /// Between the protocols of a run that speaks several.
    static let joint = "+"

    /// The protocols of a run's history, by their names: histories of 0.1.0 join them by commas.
    public static func names(joined text: String) -> [String] {
        text.split { joint.contains($0) || $0 == "," }
            .map { String($0).trimmingSpaces() }.filter { !$0.isEmpty }
    }
}

extension Rig {
    /// All that its households ask as, each once.
    public var applications: [Application] {
        kinds.reduce(into: []) { known, kind in
            let application = kind.application ?? target.application
            if !known.contains(application) { known.append(application) }
        }
    }

    /// The protocols that its households speak, each once, in the order of its kinds.
    public var protocols: [ProtocolName] {
        applications.map(\.protocolName).reduce(into: []) { known, name in
            if !known.contains(name) { known.append(name) }
        }
    }

    /// The same as one word: `adobe-pass-v1+adobe-pass-v2`.
    public var protocolNames: String {
        protocols.map(\.rawValue).joined(separator: ProtocolName.joint)
    }
}
