public import Vocabulary

/// The protocols that devices speak, by the names that rigs, histories and cases have for them. Here a
/// name becomes its dialect, and nowhere else.
public enum ProtocolName: String, CaseIterable, Sendable {
    case adobePassV1 = "adobe-pass-v1"
    case adobePassV2 = "adobe-pass-v2"
    case oauthDeviceGrant = "oauth-device-grant"

    /// That of a rig that names none.
    public static let usual = ProtocolName.adobePassV1

    /// The dialect as one programmer's app speaks it, at `origin` with `prefix` before each path.
    /// `deviceGrant`: what matters to `oauthDeviceGrant` alone, of which nothing else does.
    public func dialect(
        at origin: Origin, prefix: String = "", requestor: String, domain: String,
        redirectURL: String, format: FormatRequest = FormatRequest(),
        deviceGrant: DeviceGrantTerms = DeviceGrantTerms()
    ) -> any Dialect {
        switch self {
        case .adobePassV1:
            V1(
                origin: origin, prefix: prefix, requestor: requestor, domain: domain,
                redirectURL: redirectURL, format: format)
        case .adobePassV2:
            V2(
                origin: origin, prefix: prefix, serviceProvider: requestor, domain: domain,
                redirectURL: redirectURL)
        case .oauthDeviceGrant: DeviceGrant(origin: origin, prefix: prefix, terms: deviceGrant)
        }
    }

    /// What its devices ask for, in the order of `screenrig list`.
    public var operations: [OperationName] {
        OperationName.allCases.filter { operation in
            switch self {
            case .adobePassV1: operation.isOfV1
            case .adobePassV2: operation.isOfV2
            case .oauthDeviceGrant: operation.isInDeviceGrant
            }
        }
    }

    /// What it has in the place of an operation of another protocol; empty where it has nothing.
    public func counterparts(of operation: OperationName) -> [OperationName] {
        switch self {
        case .adobePassV1:
            operations.filter {
                $0.counterpartsInV2.contains(operation)
                    || $0.counterpartsInDeviceGrant.contains(operation)
            }
        case .adobePassV2: operation.counterpartsInV2
        case .oauthDeviceGrant: operation.counterpartsInDeviceGrant
        }
    }

    /// What holds of it for every programmer's app.
    public var type: any Dialect.Type {
        switch self {
        case .adobePassV1: V1.self
        case .adobePassV2: V2.self
        case .oauthDeviceGrant: DeviceGrant.self
        }
    }
}
