import Foundation
import Glibc

/// What devices and exchanges leave in memory.
extension Row {
    static var memory: Row {
        Row(
            name: "memory",
            goal: "memory for each idle device: flow / own http / own https connection",
            must: "2.5 / 4.5 / 25 KB", moonshot: "1.8 / 4 / 20 KB"
        ) { bench in
            let nginx = try bench.nginx()
            func kilobytes(_ few: Int, _ many: Int, _ arguments: [String]) throws -> Double {
                let peaks = try [few, many].map { count in
                    try bench.generators.calibrate(
                        arguments + [
                            "--connections", String(count), "--rate", "100/s", "--for", "1s",
                            "--record", "all",
                        ])["peakMemoryMB"]
                }
                return (peaks[1] - peaks[0]) * 1024 / Double(many - few)
            }
            let flow = try kilobytes(1_000, 50_000, ["--target", nginx.plain, "--pooled"])
            let http = try kilobytes(1_000, 9_000, ["--target", nginx.plain])
            let https = try kilobytes(
                200, 2_200, ["--target", nginx.secure, "--ca", nginx.certificate])
            return Result(
                text: "**\(short(flow)) / \(short(http)) / \(short(https)) KB** "
                    + "(a flow and its device are part of each)",
                grade: Grade.of(flow, must: 2.5, moonshot: 1.8, isLess: true)
                    .and(.of(http, must: 4.5, moonshot: 4, isLess: true))
                    .and(.of(https, must: 25, moonshot: 20, isLess: true)))
        }
    }

    static var growth: Row {
        Row(
            name: "growth", goal: "memory growth over 10,000,000 exchanges at a constant rate",
            must: "0", moonshot: "0"
        ) { bench in
            let url = try bench.nginx().plain
            let wanted = try Bench.number("GROWTH", usually: 10_000_000)
            // As fast as it goes with half a core to spare: memory that waits for the disk is no growth.
            let closed = try bench.generators.recorded(url, seconds: 3).perSecond
            let rate = max(1_000, min(20_000, (closed / 2_000).rounded(.down) * 1_000))
            // A calibration lasts ten minutes at most.
            let seconds = min(600, max(10, Int((Double(wanted) / rate).rounded(.up))))
            let ours = try Program(
                [
                    bench.generators.screenrig, "calibrate", "--json", "--lanes", "1", "--target",
                    url, "--rate", "\(Int(rate))/s", "--connections", "1000", "--for",
                    "\(seconds)s", "--record", "all",
                ], core: bench.generators.core)
            var points: [(seconds: Double, bytes: Double)] = []
            for second in 0..<seconds {
                sleep(1)
                guard let resident = ours.residentKB else { break }
                points.append((Double(second), Double(resident) * 1024))
            }
            let found = try Generators.calibration(ours.ended())
            guard found["requestsPerSecond"] > 0.98 * rate else {
                return Result(
                    text: "\(short(rate))/s were not carried: "
                        + "\(short(found["requestsPerSecond"]))/s were sent", grade: .unmeasured)
            }
            let later = points.suffix(points.count / 2)
            let each = slope(later.map { ($0.seconds, $0.bytes) }) / rate
            let megabytes = [later.first, later.last].map { short(($0?.bytes ?? .nan) / 1e6) }
            return Result(
                text: "**\(short(each)) bytes an exchange** (\(Int(rate) * seconds) at "
                    + "\(short(rate))/s; \(megabytes[0]) MB resident after half of them, "
                    + "\(megabytes[1]) MB in the end; the slope between, of \(later.count) points)",
                // A tenth of a byte is 1 MB in all, as much as the allocator sways by.
                grade: .of(each, must: 0.1, moonshot: 0.1, isLess: true))
        }
    }
}

extension Program {
    /// Resident memory, in KB; nil when it has ended.
    var residentKB: Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}
