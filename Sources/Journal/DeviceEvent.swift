/// Something that happened on a device and is no exchange: a call of the SDK or one of its callbacks,
/// a dialog of the platform, a hint to the viewer.
public struct DeviceEvent: Sendable, Hashable {
    public var device: DeviceID
    /// Counts events of the household from 1.
    public var sequence: Int
    public var at: Instant
    /// `setAuthenticationStatus`, `platform prompt` ...
    public var name: String
    /// Its arguments, in words; never a secret.
    public var detail: String

    public init(device: DeviceID, sequence: Int, at: Instant, name: String, detail: String = "") {
        self.device = device
        self.sequence = sequence
        self.at = at
        self.name = name
        self.detail = detail
    }
}
