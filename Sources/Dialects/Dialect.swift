/// A sign-in protocol, seen from devices: how to ask, and how to read what comes back. A dialect is
/// configured once for a target (address, requestor, format) and holds no state.
///
/// `rest-v2.md` and `device-grant-rfc8628.md` fit the same shape: steps that a protocol lacks are
/// nil, and the device goes on without them.
public protocol Dialect: Sendable {
    /// `adobe-pass-v1`.
    var name: String { get }
    /// The shortest poll interval that the protocol allows; faster rigs are warned.
    var pollFloor: Duration { get }
    /// What the service throttles a device to: requests per second, and the burst it forgives.
    var throttle: (perSecond: Double, burst: Int)? { get }

    func registerClient(_ statement: Secret, as device: DeviceIdentity) -> Call?
    func accessToken(_ client: ClientCredentials, as device: DeviceIdentity) -> Call?
    func checkAuthentication(_ credential: Credential) -> Call
    func configuration(_ credential: Credential) -> Call?
    func issueCode(_ credential: Credential, lifetime: Duration?, mvpd: String?) -> Call
    func record(of code: Code, _ credential: Credential) -> Call?
    func delete(_ code: Code, _ credential: Credential) -> Call?
    /// First browser hop of a sign-in.
    func authenticate(_ code: Code, mvpd: String, _ credential: Credential) -> Call
    /// A later browser hop: what it is for is read off its address and fields.
    func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call
    /// Whether a browser that is sent here has come back from the login.
    func isReturn(_ address: WebAddress) -> Bool
    func checkCode(_ code: Code, _ credential: Credential) -> Call
    func poll(_ code: Code, _ target: PollTarget, _ credential: Credential) -> Call
    func userMetadata(_ credential: Credential) -> Call?
    func preauthorize(_ resources: [String], _ credential: Credential) -> Call?
    func authorize(_ resource: String, _ credential: Credential) -> Call
    /// The authorization that a device has of a resource.
    func authorizationToken(_ resource: String, _ credential: Credential) -> Call?
    func mediaToken(_ resource: String, _ credential: Credential) -> Call?
    func logout(_ credential: Credential) -> Call
    /// First browser hop of a logout that ends the provider's session as well.
    func webLogout(_ credential: Credential) -> Call?
    /// Starts a TempPass.
    func freePreview(mvpd: String, _ credential: Credential) -> Call?
    /// What the platform is to be asked before it vouches for a viewer of `mvpd`.
    func profileRequest(
        mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call?
    /// Brings the platform's answer to the service; `response` is Base64.
    func tokenExchange(
        _ response: String, mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call?
    /// Preauthorization from the second screen.
    func preauthorize(_ resources: [String], code: Code, _ credential: Credential) -> Call?

    /// Reads a reply by its body before its status. Pure.
    func read(_ reply: Reply, to call: Call) -> Reading
}

/// Steps that not every protocol has.
extension Dialect {
    public func webLogout(_ credential: Credential) -> Call? { nil }
    public func authorizationToken(_ resource: String, _ credential: Credential) -> Call? { nil }
    public func freePreview(mvpd: String, _ credential: Credential) -> Call? { nil }
    public func profileRequest(
        mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call? { nil }
    public func tokenExchange(
        _ response: String, mvpd: String, on device: PlatformDevice, _ credential: Credential
    ) -> Call? { nil }
    public func preauthorize(
        _ resources: [String], code: Code, _ credential: Credential
    ) -> Call? { nil }
}

/// Who asks: the device, and the bearer it holds (nil where the protocol or the rig goes without).
public struct Credential: Sendable {
    public var device: DeviceIdentity
    public var bearer: Secret?

    public init(device: DeviceIdentity, bearer: Secret?) {
        self.device = device
        self.bearer = bearer
    }
}

/// Where a first screen polls (rest-v1.md § 15).
public enum PollTarget: String, Sendable, CaseIterable {
    /// The token itself (N4).
    case authn
    /// The boolean check (N3).
    case checkauthn
}
