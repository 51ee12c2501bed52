import Testing
import Vocabulary

@testable import Checker

@Suite("Rules in the header of a history")
struct RulesTextTests {
    private static func rules() -> Rules {
        var rules = Rules()
        rules.policies.codeReuse = .untilExpiry
        rules.policies.newCode = .keep
        rules.policies.secondSignIn = .reject
        rules.policies.mediaReuse = .untilExpiry
        rules.policies.goneDecays = false
        rules.policies.visibility = .milliseconds(5)
        rules.policies.sweepLag = .milliseconds(6)
        rules.policies.clockTolerance = .milliseconds(7)
        rules.policies.unknownDeadline = .seconds(8)
        rules.policies.throttle = nil
        rules.promises = Promises(.documented, overrides: [.oneToken: .observe])
        rules.known = [
            KnownViolation(invariant: .codeUnique, ticket: "A;B=C"),
            KnownViolation(
                invariant: .oneOwner, operation: .pollToken, ticket: "T", until: "2026-12-15"),
        ]
        rules.knowsUsers = false
        rules.inventsLogins = true
        rules.devicesAreFresh = false
        rules.delivery = .seconds(7)
        rules.shortestSignIn = .seconds(9)
        rules.recordsOutliveTokens = false
        rules.codeLifetime = .seconds(60)
        rules.throttledBy = .household
        rules.householdsOfHome = 2
        rules.appsOfDevice = 2
        rules.startedMicroseconds = 42
        return rules
    }

    /// A header as version 0.1.0 wrote it first, without a version of its own.
    private static let first = [
        "code-reuse=single", "new-code=replace", "second-sign-in=replace", "media-reuse=never",
        "gone-decays=true", "visibility_ns=30000000", "sweep_lag_ns=0", "clock_tolerance_ns=0",
        "unknown_deadline_ns=60000000000", "throttle=1000000000:10", "promises=documented",
        "knows-users=false", "devices-are-fresh=true", "settle_ns=15000000000",
        "shortest_sign_in_ns=300000000000", "records-outlive-tokens=true", "throttled-by=unknown",
        "started_us=1760000000000000",
    ]

    @Test("they come back as they were written")
    func roundTrip() throws {
        #expect(try Rules(texts: Self.rules().texts) == Self.rules())
        #expect(try Rules(texts: Rules().texts) == Rules())
    }

    @Test("a header of the first version stays readable, and is judged as that version did")
    func old() throws {
        let rules = try Rules(texts: Self.first)
        #expect(rules.policies.visibility == .milliseconds(30))
        #expect(rules.promises == Promises(.documented))
        // Delivery had the whole settle phase.
        #expect(rules.delivery == .seconds(15))
    }

    @Test("no key may be missing that the header's version has, whichever it is")
    func missing() throws {
        for texts in [Self.first, Rules().texts] {
            for position in texts.indices where !texts[position].hasPrefix("rules=") {
                var shorter = texts
                let key = String(shorter.remove(at: position).prefix { $0 != "=" })
                let version = texts == Self.first ? 1 : Rules.version
                #expect(throws: RulesError.missing(key, version: version)) {
                    try Rules(texts: shorter)
                }
            }
        }
    }

    @Test("no value may be unreadable, whichever it is")
    func unreadable() throws {
        let texts = Self.rules().texts
        for position in texts.indices {
            let key = String(texts[position].prefix { $0 != "=" })
            var other = texts
            other[position] = key + "=?"
            #expect(throws: RulesError.badValue(key: key, value: "?"), "\(key)") {
                try Rules(texts: other)
            }
        }
    }

    @Test(
        "what is unknown is named, and never judged by a default",
        arguments: [
            ("visibility_us=30000", "the unknown key 'visibility_us'"),
            ("nonsense", "the unknown key 'nonsense'"),
            // A key that this version of the header has not got any more.
            ("settle_ns=1", "the unknown key 'settle_ns'"),
            ("promise:nothing=strict", "the unknown key 'promise:nothing'"),
            ("promise:one-token=often", "the unreadable value 'often' for 'promise:one-token'"),
            ("visibility_ns=-1", "the unreadable value '-1' for 'visibility_ns'"),
            (
                "known=one-owner;no-such;;T",
                "the unreadable value 'one-owner;no-such;;T' for 'known'"
            ),
            ("throttle=0:10", "the unreadable value '0:10' for 'throttle'"),
            ("rules=99", "have version 99, and this screenrig reads up to"),
            ("rules=one", "the unreadable value 'one' for 'rules'"),
        ])
    func unknown(text: String, told: String) {
        let key = text.prefix { $0 != "=" }
        var texts = Rules().texts.filter { !$0.hasPrefix("\(key)=") }
        texts.append(text)
        let error = #expect(throws: RulesError.self) { try Rules(texts: texts) }
        #expect(error?.description.contains(told) == true, "\(error?.description ?? "")")
    }

    @Test("a key that stands twice is refused: nobody knows which of the two held")
    func twice() {
        #expect(throws: RulesError.badValue(key: "gone-decays", value: "false")) {
            try Rules(texts: Rules().texts + ["gone-decays=false"])
        }
    }
}
