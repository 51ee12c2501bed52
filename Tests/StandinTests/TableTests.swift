import Statistics
import Testing

@testable import Standin

@Suite("what the service keeps")
struct TableTests {
    @Test(
        "a due queue gives keys back by time, equals in the order they came",
        arguments: Seed.samples(20))
    func dueQueue(seed: Seed) {
        var dice = seed.generator()
        var queue = DueQueue<Int>()
        var expected: [(due: Int64, key: Int)] = []
        for key in 0..<200 {
            let due = Int64(dice.below(50))
            queue.add(key, due: due)
            expected.append((due, key))
        }
        #expect(queue.next(dueBy: -1) == nil)
        expected.sort { ($0.due, $0.key) < ($1.due, $1.key) }
        let half = (0..<100).map { _ in queue.next(dueBy: 50) }
        #expect(half == expected.prefix(100).map { $0.key })
        var rest: [Int] = []
        while let key = queue.next(dueBy: 50) { rest.append(key) }
        #expect(rest == expected.dropFirst(100).map { $0.key })
        #expect(queue.count == 0)
    }

    @Test("each client has its own bearers, secret and protocol, and a forgotten one has none")
    func clients() throws {
        var ids = IDs(Seed(1))
        var clients = Clients(signs: false)
        let software = ["a", "b"].map { Software(id: $0, name: $0, version: "1") }
        let registered = software.map { clients.register($0, ids: &ids) }
        #expect(clients.place(of: registered[0].id, secret: registered[1].secret) == nil)
        #expect(clients.place(of: "nobody", secret: registered[0].secret) == nil)
        let bearers = try registered.map { client in
            let place = try #require(clients.place(of: client.id, secret: client.secret))
            return clients.grant(to: place, at: 0, ttl: 10, ids: &ids)[...]
        }
        #expect(bearers[0] != bearers[1] && clients.registered == 2 && clients.count == 2)
        #expect(clients.accepts(bearers[0], for: .v1, at: 9) == true)
        #expect(clients.accepts(bearers[0], for: .v2, at: 9) == false)
        #expect(clients.client(of: bearers[1], for: .v2, at: 9)?.id == registered[1].id)
        #expect(clients.accepts(bearers[1], for: .v1, at: 9) == false)
        #expect(clients.accepts(bearers[0], for: .v1, at: 10) == false)
        #expect(clients.accepts(bearers[0].dropFirst(), for: .v1, at: 9) == false)
        #expect(clients.forget(registered[0].id) == true)
        #expect(clients.forget(registered[0].id) == false)
        #expect(clients.registered == 1)
        #expect(clients.accepts(bearers[0], for: .v1, at: 9) == false)
        #expect(clients.place(of: registered[0].id, secret: registered[0].secret) == nil)
        #expect(clients.id(of: bearers[0]) == registered[0].id)
        guard case .orphaned = clients.standing(of: bearers[0], at: 9),
            case .good(let other) = clients.standing(of: bearers[1], at: 9)
        else {
            Issue.record("a forgotten client is an orphan's, the other is not")
            return
        }
        #expect(other.id == "b")
    }

    @Test("a million of virtual devices leave nothing behind but their clients")
    func bounded() {
        var caller = Caller.registered(
            ServiceSettings(policies: .init(throttle: nil), auth: .none))
        for device in 0..<2_000 {
            _ = caller.issue("tv-\(device)", more: "&ttl=10")
            caller.advance(.seconds(1))
        }
        let codes = caller.service.counted().held.first { $0.what == "codes" }?.count ?? 0
        #expect(codes <= 12)
    }

    @Test("a code freed and issued again lives its whole second life")
    func secondLife() {
        var table = CodeTable()
        let device = DeviceKey(requestor: "R", device: "d")
        let registrant = Registrant(deviceInfo: "", userAgent: "", deviceType: "", appVersion: "")
        // The same seed twice: the same letters.
        var first = IDs(Seed(1))
        var second = IDs(Seed(1))
        let early = table.issue(
            for: device, mvpd: nil, at: 0, ttl: 1000, registrant: registrant, supersedes: true,
            ids: &first)
        table.delete(early.key)
        let late = table.issue(
            for: device, mvpd: nil, at: 500, ttl: 1000, registrant: registrant, supersedes: true,
            ids: &second)
        #expect(late.key == early.key)
        table.sweep(at: 1000)
        #expect(table.live(late.key, at: 1000) != nil)
        table.sweep(at: 1500)
        #expect(table.live(late.key, at: 1500) == nil)
        #expect(table.count == 0)
    }

    @Test(
        "code keys are 6 or 7 letters and digits, case not regarded (A7)",
        arguments: [
            ("ABCDEF", true), ("ABCDEFG", true), ("abc1239", true), ("ABCDE", false),
            ("ABCDEFGH", false), ("ABC-EFG", false), ("ABCÉEFG", false), ("", false),
        ])
    func codeKeys(text: String, isCode: Bool) {
        #expect((CodeKey(text) != nil) == isCode)
        #expect(CodeKey(text) == CodeKey(text.lowercased()))
    }

    @Test(
        "JSON is read strictly",
        arguments: [
            ("{}", true), (#"{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\ude00\n"]}"#, true),
            (" [ ] ", true), ("", false), ("{", false), ("[1,]", false), (#"{"a" 1}"#, false),
            (#"{"a":1,}"#, false), ("01", false), ("1.", false), ("+1", false), ("tru", false),
            (#""\ud83d""#, false), (#""\x""#, false), ("\"a\nb\"", false), ("1 2", false),
            (String(repeating: "[", count: 100_000), false),
        ])
    func json(text: String, isJSON: Bool) {
        #expect((JSONValue(Array(text.utf8)) != nil) == isJSON)
    }

    @Test(
        "JSON text that is quoted reads back", arguments: ["", "a\"b\\c\n\t\u{1}é😀", "</script>"])
    func quoting(text: String) {
        let bytes = DocumentWriter.json { $0.text("k", text) }
        #expect(JSONValue(bytes)?["k"]?.string == text)
    }

    @Test(
        "fields are found in place and decoded",
        arguments: [
            ("a=1&b=2", "1"), ("b=2&a=1", "1"), ("ab=2&a=1", "1"), ("a=&b=2", ""), ("a", ""),
            ("b=a=1", nil), ("A=1", nil), ("", nil), ("a=x+y%20z%2b%2", "x y z+%2"),
            ("a=1&a=2", "1"), ("&&a=1", "1"), ("a=%zz", "%zz"),
        ])
    func fields(text: String, value: String?) {
        #expect(FormFields(text, from: 0)["a"] == value)
        #expect(FormFields("a=9?" + text, from: 4)["a"] == value)
    }
}
