import Foundation
import Journal
import TestSupport
import Testing

@Suite("Addresses of their own", .ownThread)
struct SourceAddressTests {
    @Test("each screen sends from one, and connections are counted apart from requests")
    func own() async throws {
        let folder = TestFolder()
        let ended = try await Command(
            ["run", Command.rig("own-addresses.yaml"), "--out", "run"] + unhurried, in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")

        var addresses: [DeviceID: Set<Substring>] = [:]
        var made = 0
        var all = 0
        try History(path: folder.path("run")).exchanges { exchange in
            all += 1
            if exchange.connect != nil { made += 1 }
            let address = exchange.route.local.prefix { $0 != ":" }
            addresses[exchange.device, default: []].insert(address)
        }
        #expect(
            addresses.values.allSatisfy { $0.count == 1 && $0.first?.hasPrefix("127.40.") == true })
        #expect(Set(addresses.values.map { $0.first }).count == addresses.count)

        let run = try Run(folder, "run")
        let operations = try #require(run["operations"] as? [[String: Any]])
        func count(_ name: String) -> Int? {
            operations.first { $0["name"] as? String == name }?["count"] as? Int
        }
        #expect(count("connect") == made && made >= addresses.count)
        #expect(count("tls") == nil)
        #expect(run.number("exchanges", "sent") == all)
        let table = try folder.read("run/latencies.csv")
        #expect(table.contains("\nconnect,"))
    }

    @Test("validate names an address that is not this machine's")
    func foreign() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "validate", Command.rig("own-addresses.yaml"), "--set",
            "source-addresses=[192.0.2.0/30]", in: folder)
        #expect(ended.output.contains("192.0.2.1, which is not an address of this machine"))
        let own = try await Command.run("validate", Command.rig("own-addresses.yaml"), in: folder)
        #expect(!own.output.contains("warning"), "\(own.output)")
    }
}
