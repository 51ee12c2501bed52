internal import Dialects
internal import Foundation
public import Journal
internal import Rendering
internal import Reports
internal import Rigs
internal import Vocabulary

/// A run in which several protocols were spoken, one protocol's households at a time.
public struct RunByProtocol {
    private let directory: RunDirectory
    private let history: History
    /// By protocol, in the order of the rig's kinds: the names of those that speak it.
    private let kinds: [(name: String, kinds: Set<String>)]

    /// Why a run cannot be taken apart.
    public enum Refusal: Error, CustomStringConvertible {
        case unreadableRig
        case oneProtocol(String)

        public var description: String {
            switch self {
            case .unreadableRig:
                "the rig in this run's history cannot be read, so nobody knows which kind spoke "
                    + "which protocol"
            case .oneProtocol(let name):
                "this run speaks \(name) only; name two runs to compare them"
            }
        }
    }

    public init(_ directory: RunDirectory) throws {
        self.directory = directory
        history = try History(path: directory.history)
        guard
            let rig = try? Rig.read(history.header.rigSource, file: "rig", with: .recorded).rig
        else { throw Refusal.unreadableRig }
        kinds = rig.protocols.map { name in
            let own = rig.kinds.filter { rig.protocolName(of: $0) == name }
            return (name.rawValue, Set(own.map(\.name)))
        }
        guard kinds.count > 1 else { throw Refusal.oneProtocol(rig.protocolNames) }
    }

    /// The households of the first protocol, and those of the second, as if they were two runs.
    public func compared(floor: Comparison.Floor) throws -> Comparison {
        let breaches = try brokenPromises()
        let sides = try kinds.prefix(2).map { name, kinds in
            let part = try RunPart(history, protocolName: name, kinds: kinds)
            var side = try ComparedRun(part, breaches: breaches.map { $0(part.numbers) })
            try side.readSteps(part)
            return side
        }
        return Comparison(sides[0], sides[1], floor: floor)
    }

    /// How often the households with these numbers saw each promise broken; nil where nothing was judged.
    private func brokenPromises() throws -> ((Set<Int>) -> [String: Comparison.Breaches])? {
        guard ComparedRun.breaches(in: directory) != nil else { return nil }
        let text = try? String(contentsOfFile: directory.file("violations.csv"), encoding: .utf8)
        let rows = CSV.rows(text ?? "")
        let heads = ["household", "invariant", "standing"].map { rows.first?.firstIndex(of: $0) }
        return { numbers in
            guard let household = heads[0], let invariant = heads[1], let standing = heads[2]
            else { return [:] }
            var counts: [String: Comparison.Breaches] = [:]
            for row in rows.dropFirst() where row.count > max(household, invariant, standing) {
                guard row[standing] != "suspected", let number = Int(row[household]),
                    numbers.contains(number)
                else { continue }
                counts[row[invariant], default: .init()].all += 1
                if row[standing] == "fails" { counts[row[invariant]]?.failing += 1 }
            }
            return counts
        }
    }
}

/// What the households of some kinds did in a run.
struct RunPart: Recorded {
    let header: HistoryHeader
    /// Of its households.
    let numbers: Set<Int>
    private let whole: History
    private let positions: Set<Int>
    private let names: Set<String>

    init(_ whole: History, protocolName: String, kinds: Set<String>) throws {
        var header = whole.header
        positions = Set(header.kinds.indices.filter { kinds.contains(header.kinds[$0]) })
        header.run += " (\(protocolName))"
        header.protocolName = protocolName
        header.plannedHouseholds = nil
        // Counted over the whole run, and said there.
        (header.thresholds, header.shows) = ([], [])
        var numbers: Set<Int> = []
        try whole.households { if kinds.contains($0.kind) { numbers.insert($0.household) } }
        (self.header, self.whole, self.numbers, names) = (header, whole, numbers, kinds)
    }

    var end: HistoryEnd? { whole.end }
    var gaps: [String] { whole.gaps }
    var keepsAllExchanges: Bool { whole.keepsAllExchanges }
    var restraint: Restraint { whole.restraint }

    func cells(_ body: (Cell) throws -> Void) throws {
        try whole.cells { if positions.contains($0.key.kind) { try body($0) } }
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        try whole.households { if names.contains($0.kind) { try body($0) } }
    }

    func exchanges(_ body: (Exchange) throws -> Void) throws {
        try whole.exchanges { if numbers.contains($0.device.household) { try body($0) } }
    }

    func events(_ body: (DeviceEvent) throws -> Void) throws {
        try whole.events { if numbers.contains($0.device.household) { try body($0) } }
    }

    /// Groups are of the whole run: they are counted anew, of the exchanges that were kept.
    func errorGroups() throws -> [ErrorGroup] {
        var errors = ErrorCount()
        try exchanges { errors.add($0) }
        return errors.groups
    }

    func health() throws -> [LaneHealth] { try whole.health() }
    func exchanges(household: Int) throws -> [Exchange] {
        try whole.exchanges(household: household)
    }
    func messages(household: Int) throws -> [KeptMessage] {
        try whole.messages(household: household)
    }
    func householdsWithMessages() throws -> [Int] {
        try whole.householdsWithMessages().filter(numbers.contains)
    }
}
