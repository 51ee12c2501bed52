import Dialects
import Journal
import Testing

@testable import Lanes

@Suite("Evidence that answers share")
struct RecentContentTests {
    private static let fingerprinter = Fingerprinter(key: 1)
    private static let gate = OutputGate(fingerprinter)

    private static func household(_ secret: String) -> OutputGate {
        var known = KnownSecrets()
        known.note(Secret(secret))
        return gate.knowing(known)
    }

    @Test("is what the gate makes of it for each household, whoever asked before")
    func households() {
        let answers: [Headers] = [
            ["Date": "Mon", "X-Request-Id": "one", "Content-Type": "text/plain"],
            ["Date": "Mon", "X-Request-Id": "planted-1"],
            ["Date": "Tue", "X-Request-Id": "planted-1", "Set-Cookie": "s=planted-1; Path=/"],
            ["Date": "Tue", "Set-Cookie": "planted-2=1"], ["Via": "1.1 planted-2"], [:],
            ["Date": "Mon", "X-Request-Id": "one"],
        ]
        var recent = RecentContent()
        for answer in answers + answers {
            for gate in [Self.household("planted-1"), Self.household("planted-2"), Self.gate] {
                var fresh = RecentContent()
                let shown = recent.evidence(of: answer, to: .pollToken, gate, Self.fingerprinter)
                let wanted = fresh.evidence(of: answer, to: .pollToken, gate, Self.fingerprinter)
                #expect(shown == wanted)
            }
            let shown = recent.evidence(
                of: answer, to: .pollToken, Self.household("planted-1"), Self.fingerprinter)
            #expect(!shown.fields.contains { $0.value.contains("planted-1") })
        }
    }

    @Test(
        "is searched again for each household where it may stand for other bytes",
        arguments: ["PHBsYW50ZWQtMT4=", "planted%2D1", "planted-1"])
    func packed(value: String) {
        let answers: [Headers] = [
            ["Server": value, "X-Request-Id": value], ["Server": "s", "X-Request-Id": value],
        ]
        for answer in answers {
            var recent = RecentContent()
            let gates = [Self.gate, Self.household("planted-2"), Self.household("planted-1")]
            for gate in gates + gates {
                var fresh = RecentContent()
                let shown = recent.evidence(of: answer, to: .pollToken, gate, Self.fingerprinter)
                let wanted = fresh.evidence(of: answer, to: .pollToken, gate, Self.fingerprinter)
                #expect(shown == wanted)
            }
            let last = recent.evidence(
                of: answer, to: .pollToken, Self.household("planted-1"), Self.fingerprinter)
            #expect(last.all("X-Request-Id") == [Self.gate.mark("planted-1")])
        }
    }

    @Test("is of the allowed headers only, and of cookies the name and a fingerprint")
    func kept() {
        var recent = RecentContent()
        let shown = recent.evidence(
            of: ["Server": "s", "X-Amz-Id": "7", "X-Other": "o", "Set-Cookie": "n=v; Path=/"],
            to: .pollToken, Self.gate, Self.fingerprinter)
        let mark = Self.fingerprinter.fingerprint(of: Secret("v"))
        #expect(shown == ["Server": "s", "X-Amz-Id": "7", "Set-Cookie": "n=#\(mark)"])
    }
}
