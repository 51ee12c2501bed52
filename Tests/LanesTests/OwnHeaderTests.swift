import Dialects
import Journal
import TestSupport
import Testing

@testable import Lanes

@Suite("A target's own headers")
struct OwnHeaderTests {
    private func sent(_ own: Headers) -> Headers {
        let origin = Origin(scheme: .http, host: "127.0.0.1")
        let exchangeBuilder = ExchangeBuilder(
            headers: own, run: "r", fingerprinter: Fingerprinter(key: 1))
        let info = DeviceInfo(
            model: "m", osName: "tvOS", osVersion: "1", primaryHardwareType: "TV")
        let device = Device(
            id: DeviceID(household: 0, role: .secondScreen),
            identity: DeviceIdentity(
                id: "d", info: info, userAgent: "ua", forwardedFor: "10.0.0.1"),
            dialect: plainDialect, counter: Device.Counter())
        let address = WebAddress(origin: origin, target: "/poll")
        device.cookies.store(["Set-Cookie": "S=1; Path=/"], from: address)
        var call = Call(.pollToken, .get, address, headers: ["Accept": "application/json"])
        exchangeBuilder.dress(&call, from: device, sequence: 1)
        return call.headers
    }

    @Test(
        "take the place of a field of the same name, whatever its case",
        arguments: [
            ("User-Agent", "mine"), ("user-agent", "mine"), ("X-Forwarded-For", "192.0.2.1"),
            ("accept", "*/*"), ("traceparent", "none"), ("X-Environment", "staging"),
        ])
    func replace(name: String, value: String) {
        #expect(sent([name: value]).all(name) == [value])
    }

    @Test("leave the rest as it is, and in its order")
    func rest() {
        let names = { (headers: Headers) in headers.fields.map(\.name) }
        #expect(names(sent([:])) == names(sent(["X-Own": "1"])).dropLast())
        #expect(sent([:]).all("User-Agent") == ["ua"])
    }

    @Test("join a cookie to those of the login, in one field")
    func cookie() {
        #expect(sent(["Cookie": "gate=open"]).all("Cookie") == ["S=1; gate=open"])
    }
}
