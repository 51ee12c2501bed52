import Checker
import Glibc
import Journal

/// What the judge costs: `checker [HOUSEHOLDS]`. Operations a second on one core, at 8 and at 60
/// polls a household, and the bytes that it holds for each household that lives.
@main
struct CheckerBench {
    static func main() {
        let households = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 4_000
        // First, as long as nothing was freed that could be used again.
        let bytes = [60, 8].map { ($0, memory(households: 4 * households, polls: $0)) }
        for polls in [8, 60] {
            // All of them live at once; and one after the other, let go as they leave.
            let crowd = Lives(households: households * 8 / polls, polls: polls, gap: 1)
            let rate = speed(of: crowd)
            let each = crowd.exchanges.count / crowd.records.count
            print(
                "\(polls) polls: \(Int(rate)) operations/s, \(Int(1e9 / rate)) ns each; "
                    + "\(bytes.first { $0.0 == polls }?.1 ?? 0) bytes a living household; \(crowd.records.count) households of "
                    + "\(each) operations")
        }
    }

    /// The best of five, in operations a second of processor time.
    private static func speed(of lives: Lives) -> Double {
        var best = 0.0
        for _ in 0..<5 {
            let judge = Judge(Rules(), lanes: 1)
            var batches = batches(of: lives)
            let spent = processorTime {
                for batch in batches { judge.take(batch) }
                let findings = judge.finish()
                precondition(
                    findings.violations.isEmpty && findings.undecided == 0,
                    "\(findings.violations.first?.sentence ?? "undecided")")
            }
            batches.removeAll()
            best = max(best, Double(lives.exchanges.count) / spent)
        }
        return best
    }

    /// As lanes hand them over: some hundreds at a time.
    private static func batches(of lives: Lives) -> [Batch] {
        var batches: [Batch] = []
        var records = lives.records.sorted { $0.ended! < $1.ended! }[...]
        for start in stride(from: 0, to: lives.exchanges.count, by: 500) {
            let part = Array(lives.exchanges[start..<min(start + 500, lives.exchanges.count)])
            let through = part[part.count - 1].ended
            var ended: [HouseholdRecord] = []
            while let record = records.first, record.ended! <= through {
                ended.append(record)
                records.removeFirst()
            }
            batches.append(
                Batch(lane: 0, exchanges: part, households: ended, through: through))
        }
        return batches
    }

    /// What is held for each household when all have lived their lives and none has been let go: more
    /// than that it never is. Each life is made, told and forgotten, so that nothing else stays.
    private static func memory(households: Int, polls: Int) -> Int {
        let judge = Judge(Rules(), lanes: 1)
        var start = 0
        for household in 0..<households {
            // The first ones bring what is there only once.
            if household == households / 10 { start = resident }
            for exchange in Lives(only: household, polls: polls).exchanges { judge.take(exchange) }
        }
        return (resident - start) / (households - households / 10)
    }

    /// Resident memory of this process, in bytes.
    private static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, 256, file) != nil else { return 0 }
        let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        let fields = line.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }

    /// Of this thread, in seconds.
    private static func processorTime(_ work: () -> Void) -> Double {
        var start = timespec()
        var end = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        work()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
    }
}
