public import Dialects
internal import Statistics

/// Who the households of a run are: device ids, addresses and accounts, each a function of the run's
/// id and the seed (or of the seed alone, `identities: by-seed`) and an index, and no two alike.
struct Identities: Sendable, Hashable {
    /// Separates the identities of runs: each half of a run's id has its half of the device ids.
    private let root: Seed
    private let second: Seed
    /// Names the accounts: `viewer-<label>-<n>`.
    private let label: String
    /// Nil where devices say none.
    let addresses: HomeAddresses?
    /// Numbers of devices set aside for each household.
    private let devicesEach: Int

    init(_ rig: Rig, seed: Seed, run: RunID) {
        devicesEach = 1 + (rig.kinds.map(\.secondScreens).max() ?? 1)
        var begin: Seed?
        switch rig.identities {
        case .perRun:
            root = Seed(seed.value ^ run.high).child("identities")
            second = Seed(seed.value ^ run.low).child("identities")
            label = String(run.description.prefix(16))
            begin = second.child("first address")
        case .bySeed:
            root = seed.child("identities")
            second = root
            label = String(seed.value)
        }
        addresses = HomeAddresses(rig, seed: begin, devicesEach: devicesEach)
    }

    /// The household's TV. `home`: the first household of its home.
    func firstScreen(_ household: Int, home: Int, _ kind: HouseholdKind) -> DeviceIdentity {
        DeviceIdentity(
            id: deviceID(household * devicesEach), info: kind.device,
            userAgent: kind.requests.first.userAgent
                ?? Self.userAgent(kind.device, kind.firstScreen) + " " + Release.mark,
            forwardedFor: addresses?.address(of: 0, in: household, home: home),
            style: kind.requests.first.ofFirst)
    }

    /// As such devices were seen to call themselves (observed.md).
    private static func userAgent(_ info: DeviceInfo, _ make: HouseholdKind.FirstScreen) -> String {
        switch make {
        case .androidTV: "okhttp/4.11.0"
        case .fireTV:
            "Dalvik/2.1.0 (Linux; U; Android \(info.osVersion); \(info.model) Build/NS6281)"
        case .roku: "Roku/DVP-\(info.osVersion) (\(info.osVersion).0-4321)"
        case .tvos, .ios, .ipados, .sdkTVOS, .sdkIOS:
            "\(info.applicationId)/\(info.version) (\(info.model); \(info.osName) \(info.osVersion))"
        }
    }

    /// Who the household's people are to a platform or an identity service: a version 4 UUID.
    func subject(_ household: Int) -> String {
        let bits = root.child("subject", household).value
        let rest = second.child("subject, second half", household).value
        let digits =
            hexadecimal(bits & ~0xf000 | 0x4000) + hexadecimal(rest & ~(0xc << 60) | 0x8 << 60)
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { start, end in
            String(digits.dropFirst(start).prefix(end - start))
        }.joined(separator: "-")
    }

    /// The household's phones, from 0.
    func secondScreen(
        _ household: Int, home: Int, _ position: Int, _ kind: HouseholdKind,
        in protocolName: ProtocolName
    ) -> DeviceIdentity {
        let number = household * devicesEach + 1 + position
        return DeviceIdentity(
            id: deviceID(number), info: .phone,
            userAgent: kind.requests.second.userAgent
                ?? "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 "
                + "(KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1 \(Release.mark)",
            forwardedFor: addresses?.address(of: 1 + position, in: household, home: home),
            style: kind.requests.second.ofSecond(in: protocolName))
    }

    /// The viewer's account: generated, so that a token names the sign-in that made it.
    func account(_ household: Int) -> Account {
        account("viewer-\(label)-\(household)", root.child("password", household))
    }

    /// That of the second viewer, where two sign in at once.
    func secondAccount(_ household: Int) -> Account {
        account("viewer-\(label)-\(household)-second", root.child("second password", household))
    }

    private func account(_ user: String, _ seed: Seed) -> Account {
        Account(user: user, password: Secret("pw-" + hexadecimal(seed.value)))
    }

    /// 32 hexadecimal digits. Children of one purpose never collide, so the first half alone is
    /// unique within a run.
    private func deviceID(_ number: Int) -> String {
        let first = root.child("device id", number).value
        let rest = second.child("device id, second half", number).value
        return String(unsafeUninitializedCapacity: 32) { text in
            Self.write(first, to: text, at: 0)
            Self.write(rest, to: text, at: 16)
            return 32
        }
    }

    private func hexadecimal(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { text in
            Self.write(value, to: text, at: 0)
            return 16
        }
    }

    /// Its sixteen hexadecimal digits.
    private static func write(
        _ value: UInt64, to text: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        for position in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * position) & 15)
            text[start + position] =
                digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
    }
}

extension DeviceInfo {
    /// What a first screen says it is, unless the rig's `device:` says otherwise.
    public static let appleTV = DeviceInfo(
        model: "AppleTV14,1", osName: "tvOS", osVersion: "17.4", primaryHardwareType: "TV")

    /// What an iPad says it is, likewise.
    public static let tablet = DeviceInfo(
        model: "iPad13,4", osName: "iOS", osVersion: "17.4", primaryHardwareType: "Tablet")

    /// What an Android TV says it is, likewise.
    public static let androidTV = DeviceInfo(
        model: "BRAVIA 4K VH2", manufacturer: "Sony", osName: "Android", osVersion: "12",
        primaryHardwareType: "TV")

    /// A Fire TV, whose system is an Android (rest-v1.md § 3.4 has no other name for it).
    public static let fireTV = DeviceInfo(
        model: "AFTKA", manufacturer: "Amazon", osName: "Android", osVersion: "9",
        primaryHardwareType: "SetTopBox")

    public static let roku = DeviceInfo(
        model: "4802X", manufacturer: "Roku", osName: "Roku OS", osVersion: "14.0",
        primaryHardwareType: "SetTopBox")

    /// What every second screen says it is, and a first screen that is a phone.
    public static let phone = DeviceInfo(
        model: "iPhone", osName: "iOS", osVersion: "17.4", primaryHardwareType: "MobilePhone")
}
