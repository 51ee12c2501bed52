import Testing

@testable import Rigs

@Suite("Addresses to send from, and exact sending")
struct SourceAddressTests {
    @Test(
        "ranges are read with their first and last host",
        arguments: [
            ("127.1.0.0/16", 65_534, "127.1.0.1", "127.1.255.254"),
            ("10.0.0.7", 1, "10.0.0.7", "10.0.0.7"), ("10.0.0.7/32", 1, "10.0.0.7", "10.0.0.7"),
            ("10.0.0.4/31", 2, "10.0.0.4", "10.0.0.5"),
            ("10.0.0.9/30", 2, "10.0.0.9", "10.0.0.10"),
        ])
    func ranges(text: String, count: Int, first: String, last: String) throws {
        let range = try #require(AddressRange(text))
        #expect(range.count == count && range.first == first && range.last == last)
        #expect(try Rig.sample("source-addresses: [\(text)]").sources == [range])
    }

    @Test(
        "what is no range is refused where it stands",
        arguments: [
            ("localhost", "it must be an IPv4 address or range, such as 127.1.0.0/16"),
            ("\"::1\"", "it must be an IPv4 address or range"),
            ("10.0.0.0/33", "it must be an IPv4 address or range"),
            ("10.0.0.0/4", "wider than a /8"),
        ])
    func refused(text: String, words: String) throws {
        let error = try #require(throws: RigErrors.self) {
            try Rig.sample("source-addresses: [\(text)]")
        }
        #expect("\(error)".contains(words), "\(error)")
        #expect("\(error)".contains("rigs/sample.yaml:4:"), "\(error)")
    }

    @Test("loopback leads to loopback only")
    func loopback() throws {
        let far = "{base: https://auth.staging.example, allow: [auth.staging.example]}"
        let error = try #require(throws: RigErrors.self) {
            try Rig.sample("source-addresses: [127.1.0.0/16]", target: far)
        }
        #expect("\(error)".contains("from which auth.staging.example cannot be reached"))
        let near = "{base: http://127.0.0.1:8080}"
        #expect(
            try Rig.sample("source-addresses: [127.1.0.0/16]", target: near).sources.count == 1)
        #expect(try Rig.sample("source-addresses: [10.0.0.7]", target: far).sources.count == 1)
    }

    @Test("without them the system chooses, and nothing spins")
    func defaults() throws {
        let rig = try Rig.sample()
        #expect(rig.sources.isEmpty && !rig.isPrecise)
        #expect(try Rig.sample("precise: true").isPrecise)
    }

    @Test("more addresses have more ports, and foreign ones are named")
    func estimate() throws {
        func warnings(_ lines: String, foreign: [String] = []) throws -> String {
            let rig = try Rig.sample(
                lines, load: "{arrivals: [{ramp-to: 600/s, over: 0s}, {hold: 2m}]}")
            let machine = MachineLimits(
                descriptors: 1_000_000, descriptorsAtMost: 1_000_000, ports: 28_232, cores: 2,
                foreignSources: foreign)
            return PlanEstimate(Plan(rig, seed: rig.seed), on: machine).warnings
                .joined(separator: "\n")
        }
        #expect(try warnings("connections: fresh").contains("one source address sustains"))
        #expect(
            try !warnings("connections: fresh\nsource-addresses: [127.1.0.0/16]")
                .contains("sustain"))
        #expect(
            try warnings("connections: fresh\nsource-addresses: [127.1.0.4/31]")
                .contains("2 source addresses sustain about 941/s"))
        #expect(
            try warnings("source-addresses: [10.9.9.9]", foreign: ["10.9.9.9"])
                .contains("sends from 10.9.9.9, which is not an address of this machine"))
    }
}
