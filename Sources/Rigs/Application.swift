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
    /// Protocols that the format has a name for, and this version refuses.
    static let planned = ["oauth-device-grant"]
}

extension Rig {
    /// All that its households ask as, each once.
    public var applications: [Application] {
        kinds.reduce(into: []) { known, kind in
            let application = kind.application ?? target.application
            if !known.contains(application) { known.append(application) }
        }
    }

    /// The protocols that its households speak, in words.
    public var protocolNames: String {
        var names: [String] = []
        for application in applications where !names.contains(application.protocolName.rawValue) {
            names.append(application.protocolName.rawValue)
        }
        return names.joined(separator: ", ")
    }
}
