import Dialects
import Journal
public import Lanes

/// A first screen of which nothing matters but its household.
public func plainDevice(_ household: Int = 1) -> Device {
    let info = DeviceInfo(
        model: "AppleTV14,1", osName: "tvOS", osVersion: "17.4",
        primaryHardwareType: "SetTopBox")
    let identity = DeviceIdentity(
        id: "d\(household)", info: info, userAgent: "test", forwardedFor: nil)
    return Device(
        id: DeviceID(household: household, role: .firstScreen), identity: identity,
        dialect: plainDialect, counter: Device.Counter())
}
