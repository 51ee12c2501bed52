import Foundation
import Statistics
import TestSupport
import Testing

@testable import Rigs

/// The shipped rigs with something wrong in each: lines gone, doubled or swapped, numbers that nobody
/// means, bytes in between. Nothing traps, in the reader or in the planner.
/// `SCREENRIG_MUTANTS=5000` makes more of them.
@Suite("Mutants of the shipped rigs")
struct MutantTests {
    private static let numbers = [
        "0", "-1", "1e308", ".inf", ".nan", "9223372036854775807", "9223372036854775808",
        "99999999999d", "1000d", "1us", "1000000/s", "0.0000001/s", "100%", "0%", "1000GB", "1B",
        "999999", "???", "", "~", "[]", "{}", "'", "\"", "&a", "*a", "${X}", "1000000x",
    ]

    @Test("each reads or has problems, and what reads can be planned")
    func mutants() throws {
        let wanted = ProcessInfo.processInfo.environment["SCREENRIG_MUTANTS"].flatMap { Int($0) }
        let texts = try RigFileTests.files.map {
            try String(contentsOf: Repository.rigs.appending(path: $0), encoding: .utf8)
        }
        let count = wanted ?? 300
        var accepted = 0
        for number in 0..<count {
            var dice = Seed(7).child("mutant", number).generator()
            let mutant = Self.mutant(of: texts[number % texts.count], &dice)
            if Self.reads(mutant) { accepted += 1 }
        }
        print("\(count) mutants: \(accepted) read, \(count - accepted) have problems")
        #expect(accepted > 0 && accepted < count)
    }

    private static func mutant(of text: String, _ dice: inout Dice) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0...dice.below(3) {
            let at = dice.below(lines.count)
            switch dice.below(7) {
            case 0: lines.remove(at: at)
            case 1: lines.insert(lines[at], at: dice.below(lines.count))
            case 2: lines.swapAt(at, dice.below(lines.count))
            case 3, 4: lines[at] = replacing(lines[at], &dice)
            case 5:
                var bytes = Array(lines[at].utf8)
                bytes.insert(UInt8(dice.below(128)), at: dice.below(bytes.count + 1))
                lines[at] = String(decoding: bytes, as: UTF8.self)
            default:
                let keys = Rig.keys
                let key = keys[dice.below(keys.count)].row.name
                lines.append("\(key): \(numbers[dice.below(numbers.count)])")
            }
            if lines.isEmpty { lines = [""] }
        }
        return lines.joined(separator: "\n")
    }

    /// One of the values of a line by one of `numbers`.
    private static func replacing(_ line: String, _ dice: inout Dice) -> String {
        let values = line.matches(of: /[0-9][0-9.]*[a-zA-Z%\/]*|[a-z][a-z-]+/)
        guard !values.isEmpty else { return line }
        let range = values[dice.below(values.count)].range
        return line.replacingCharacters(in: range, with: numbers[dice.below(numbers.count)])
    }

    private static func reads(_ text: String) -> Bool {
        do throws(RigErrors) {
            let surroundings = RigSurroundings(
                environment: RigFileTests.environment, contents: { _ in nil })
            let rig = try Rig.read(text, file: "mutant.yaml", with: surroundings).rig
            let plan = Plan(rig, seed: rig.seed)
            let machine = MachineLimits(
                descriptors: 1_024, descriptorsAtMost: 4_096, ports: 28_000, cores: 2,
                memoryMB: 1_000)
            _ = PlanEstimate(plan, on: machine).description
            for position in [0, (plan.households ?? plan.atOnce ?? 1) - 1] {
                _ = plan.household(position)
            }
            return true
        } catch {
            return error.description.isEmpty
        }
    }
}
