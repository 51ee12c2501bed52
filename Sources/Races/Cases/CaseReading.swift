internal import Checker
internal import Dialects
internal import Foundation
internal import Rigs
internal import Vocabulary

extension Case {
    /// Reads a case's file.
    public init(contentsOf file: String) throws(CaseError) {
        guard let text = Disk.contents(file) else {
            let isThere = FileManager.default.fileExists(atPath: file)
            throw .unreadable(
                file: file,
                reason: isThere ? "it is not a text file of at most 32 MB" : "no such file")
        }
        try self.init(Array(text.utf8), file: file)
    }

    /// Reads a case's text; `file` names it in errors. The first thing that is wrong is thrown.
    public init(_ bytes: [UInt8], file: String) throws(CaseError) {
        guard let tree = JSONReader.read(bytes, nodesAtMost: 10 * Tree.maximumNodes) else {
            throw .notJSON(file: file, place: Self.place(in: bytes))
        }
        let top = try CaseNode(file: file, key: "", value: tree).object()
        let schema = try top.member("schema").text("'\(Self.schema)'")
        guard schema == Self.schema else { throw .otherSchema(file: file, found: schema) }
        let target = try top.member("target").object()
        let rig = try top.member("rig").object()
        let seed = top.member("seed")
        guard let seedValue = UInt64(try seed.text()) else {
            throw seed.wrong("a whole number in quotes")
        }
        self.init(
            name: try top.member("name").text(), made: try top.member("made").text(),
            version: try top.member("version").text(),
            rig: RigText(
                name: try rig.member("name").text(), source: try rig.member("source").text()),
            seed: seedValue,
            policies: try top.member("policies").list { node throws(CaseError) in try node.text() },
            target: Target(
                name: try target.member("name").text(),
                protocolName: try target.member("protocol").text(),
                date: try target.member("date").text(), server: try target.member("server").text(),
                cookies: try target.member("cookies").list { node throws(CaseError) in
                    try node.text()
                }),
            throttle: try top.member("throttle").text(), schedule: try Self.schedule(top),
            company: try top.member("company").word(Isolation.self),
            swept: try top.member("swept").optional { node throws(CaseError) in try node.text() },
            expected: try Self.expected(top.member("expected").object()),
            evidence: try top.member("evidence").optional(Self.evidence),
            isMinimal: try top.member("minimal").flag(),
            removed: try top.member("removedOps").list { node throws(CaseError) in try node.text()
            },
            almost: try top.member("almost").list(Self.almost),
            controls: try Self.controls(top.member("controls").object()),
            alternatives: try top.member("alternatives").list { node throws(CaseError) in
                Alternative(
                    try node.member("explanation").text(),
                    ruledOutBy: try node.member("ruledOutBy").text())
            },
            path: try top.member("path").optional { node throws(CaseError) in
                PathJitter(
                    via: try node.member("via").text(),
                    spread: try Self.spread(node.member("jitterUs")))
            },
            historyHash: try top.member("historyHash").text(),
            trial: try top.member("trial").optional(Self.trial))
        prefixes =
            try top.member("prefixes").optional { node throws(CaseError) in
                try node.list(Self.prefix)
            } ?? []
        try CaseCheck(file: file, top: top).check(self)
    }

    /// `line 3, column 5`, as far as the system's own reader knows.
    private static func place(in bytes: [UInt8]) -> String {
        do {
            _ = try JSONSerialization.jsonObject(
                with: Data(bytes), options: [.fragmentsAllowed])
            return ""
        } catch {
            let text = "\(error)"
            guard let line = text.firstRange(of: "line ") else { return "" }
            let rest = text[line.lowerBound...].prefix {
                $0.isLetter || $0.isNumber || $0 == " " || $0 == ","
            }
            return String(rest)
        }
    }

    private static func schedule(_ top: CaseNode) throws(CaseError) -> Schedule {
        let settle = try top.member("settle").object()
        return Schedule(
            plan: try top.member("plan").text(), actors: try top.member("actors").list(actor),
            ops: try top.member("ops").list(op),
            settle: Schedule.Settle(
                quiet: try settle.member("quietUs").microseconds(atLeast: 0),
                reads: try settle.member("reads").integer(0...1_000),
                every: try settle.member("everyUs").microseconds(atLeast: 0)),
            codeLifetime: try top.member("codeLifetimeUs").optional { node throws(CaseError) in
                try node.microseconds(atLeast: 0)
            })
    }

    private static func actor(_ node: CaseNode) throws(CaseError) -> Schedule.Actor {
        Schedule.Actor(
            name: try node.member("name").text(),
            screen: try node.member("screen").word(Schedule.Actor.Screen.self),
            household: try node.member("household").integer(0...1_000))
    }

    private static func op(_ node: CaseNode) throws(CaseError) -> Schedule.Op {
        var args: [Schedule.Arg] = []
        for (name, value) in try node.member("args").members() {
            args.append(Schedule.Arg(name, try value.text()))
        }
        let link = node.member("connection")
        guard let connection = Schedule.ConnectionUse(text: try link.text("fresh, or kept:0"))
        else {
            throw link.wrong("fresh, or kept: and a number")
        }
        return Schedule.Op(
            try node.member("id").text(), try node.member("actor").text(),
            try node.member("op").word(Step.self), args: args,
            tag: try node.member("tag").optional { node throws(CaseError) in try node.text() },
            anchor: try node.member("anchor").optional { node throws(CaseError) in
                Schedule.Anchor(
                    try node.member("event").word(Schedule.Anchor.Event.self),
                    of: try node.member("op").text())
            },
            offset: try node.member("offsetUs").microseconds(),
            gate: try node.member("gate").word(Schedule.Gate.self), connection: connection,
            cookies: try node.member("cookies").word(Schedule.Cookies.self))
    }

    private static func expected(_ node: CaseNode) throws(CaseError) -> Expected {
        let name = node.member("invariant")
        guard let invariant = Invariant(name: try name.text("the name of an invariant")) else {
            throw name.wrong(
                "one of " + Invariant.allCases.map(\.name).joined(separator: ", "))
        }
        return Expected(
            invariant,
            ops: try node.member("ops").list { node throws(CaseError) in try node.text() },
            gap: try node.member("minGapUs").optional { node throws(CaseError) in
                try node.microseconds()
            }, signature: try node.member("signature").text(),
            sentence: try node.member("sentence").text())
    }

    private static func rate(_ node: CaseNode) throws(CaseError) -> HitRate {
        let trials = try node.member("n").integer(0...1_000_000_000)
        return HitRate(hits: try node.member("k").integer(0...trials), trials: trials)
    }

    private static func spread(_ node: CaseNode) throws(CaseError) -> RaceFinding.Quantiles {
        let values = [
            try node.member("p10").microseconds(), try node.member("p50").microseconds(),
            try node.member("p90").microseconds(),
        ]
        guard var spread = RaceFinding.Quantiles(values), values == values.sorted() else {
            throw node.wrong("percentiles in order")
        }
        (spread.p10, spread.p50, spread.p90) = (values[0], values[1], values[2])
        return spread
    }

    private static func evidence(_ node: CaseNode) throws(CaseError) -> Evidence {
        let window = try node.member("peakWindowUs").optional {
            node throws(CaseError) -> RaceFinding.Window in
            let ends = try node.list { node throws(CaseError) in try node.microseconds() }
            guard ends.count == 2, ends[0] <= ends[1] else {
                throw node.wrong("two offsets in order")
            }
            return RaceFinding.Window(low: ends[0], high: ends[1])
        }
        let open = try node.member("windowOpen").optional { node throws(CaseError) -> [Bool] in
            let ends = try node.list { node throws(CaseError) in try node.flag() }
            guard ends.count == 2 else { throw node.wrong("two of true or false") }
            return ends
        }
        let ends = window.map {
            RaceFinding.Window(
                low: $0.low, high: $0.high, isLowOpen: open?[0] ?? false,
                isHighOpen: open?[1] ?? false)
        }
        return Evidence(
            rate: try rate(node), method: try node.member("method").text(),
            achieved: try node.member("achievedOffsetUs").optional(spread), window: ends,
            best: try node.member("bestOffsetUs").microseconds(),
            isSimultaneous: try node.member("simultaneous").flag(),
            curve: try node.member("curve").list { node throws(CaseError) in
                RaceFinding.CurvePoint(
                    offset: try node.member("offsetUs").microseconds(), rate: try rate(node))
            }, firstSeen: try node.member("firstSeenUs").microseconds(),
            trialTime: try node.member("durationUs").microseconds())
    }

    private static func prefix(_ node: CaseNode) throws(CaseError) -> Prefix {
        Prefix(op: try node.member("op").text(), rate: try rate(node))
    }

    private static func almost(_ node: CaseNode) throws(CaseError) -> Almost {
        Almost(
            without: try node.member("without").text(), rate: try rate(node),
            note: try node.member("note").text())
    }

    private static func controls(_ node: CaseNode) throws(CaseError) -> Controls {
        Controls(
            outside: try node.member("outsideWindow").optional(arm),
            clean: try node.member("cleanStandin").optional(arm),
            latency: try node.member("cleanLatencyUs").optional { node throws(CaseError) in
                try node.microseconds(atLeast: 0)
            })
    }

    private static func arm(_ node: CaseNode) throws(CaseError) -> Arm {
        let chance = node.member("fisherP")
        guard let fisher = Double(try chance.text("a probability in quotes")) else {
            throw chance.wrong("a probability in quotes")
        }
        return Arm(
            offset: try node.member("offsetUs").microseconds(), rate: try rate(node),
            fisher: fisher)
    }

    private static func trial(_ node: CaseNode) throws(CaseError) -> Trial {
        Trial(
            startedMicroseconds: Int64(try node.member("startedUs").integer()),
            exchanges: try node.member("exchanges").list(entry))
    }

    private static func entry(_ node: CaseNode) throws(CaseError) -> Entry {
        let name = node.member("operation")
        guard let operation = OperationName(name: try name.text()) else {
            throw name.wrong("the name of an operation; 'screenrig list' has them")
        }
        return Entry(
            op: try node.member("op").text(), actor: try node.member("actor").text(),
            operation: operation, household: try node.member("household").integer(),
            sequence: try node.member("sequence").integer(),
            begun: Int64(try node.member("begunNs").integer()),
            sent: Int64(try node.member("sentNs").integer()),
            firstByte: Int64(try node.member("firstByteNs").integer()),
            ended: Int64(try node.member("endedNs").integer()),
            isOpen: try node.member("lost").flag(),
            status: try node.member("status").optional { node throws(CaseError) in
                try node.integer(100...999)
            }, answer: try node.member("answer").text(),
            belief: try node.member("belief").optional { node throws(CaseError) in
                try node.integer(0...65_535)
            }, isConflict: try node.member("conflict").flag(),
            serverDate: try node.member("serverDate").text(),
            requestID: try node.member("requestId").text(),
            request: try node.member("url").optional { url throws(CaseError) in
                Request(method: try node.member("method").text(), url: try url.text())
            })
    }
}
