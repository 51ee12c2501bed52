internal import Dialects
internal import Foundation
internal import Journal
internal import Standin

/// The exchanges of single households, with what the stand-in did to them: to find out why one was missed or
/// accused.
struct HouseholdTrace {
    /// Lines by household, in the order of their instants.
    private var lines: [Int: [(at: Int64, text: String)]] = [:]

    init(_ households: Set<Int>, of history: History, _ truths: [TruthEvent]) throws {
        guard !households.isEmpty else { return }
        var found: [Int: [(at: Int64, text: String)]] = [:]
        try history.exchanges { exchange in
            guard households.contains(exchange.device.household) else { return }
            found[exchange.device.household, default: []].append(
                (exchange.sent.nanoseconds, Self.line(exchange)))
        }
        for truth in truths {
            for household in Set([truth.household, truth.otherHousehold].compactMap(\.self))
            where households.contains(household) {
                found[household, default: []].append((truth.at.nanoseconds, Self.line(truth)))
            }
        }
        lines = found.mapValues { $0.sorted { $0.at < $1.at } }
    }

    /// Of one household; polls that repeat the response before them are counted instead.
    func text(_ household: Int) -> [String] {
        var found: [String] = []
        var last = ""
        var repeats = 0
        for line in lines[household] ?? [] {
            let kind = line.text.split(separator: "|").dropFirst().joined()
            if kind == last {
                repeats += 1
                continue
            }
            if repeats > 0 { found.append("… and \(repeats) more like that") }
            (last, repeats) = (kind, 0)
            found.append(line.text)
        }
        if repeats > 0 { found.append("… and \(repeats) more like that") }
        return found
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        String(format: "%.1f", Double(nanoseconds) / 1e6)
    }

    private static func line(_ truth: TruthEvent) -> String {
        "\(milliseconds(truth.at.nanoseconds)) * |\(truth.fault) \(truth.kind.rawValue) "
            + "(\(truth.activation), household \(truth.household ?? 0), other "
            + "\(truth.otherHousehold ?? 0), \(truth.operation ?? "-"))"
    }

    private static func line(_ exchange: Exchange) -> String {
        let end = (exchange.firstByte ?? exchange.ended).nanoseconds
        var text =
            "\(milliseconds(exchange.sent.nanoseconds))-\(milliseconds(end)) #\(exchange.sequence) "
            + "|\(exchange.device.name) \(exchange.operation.name) "
            + "\(exchange.delivery.status.map(String.init) ?? "lost") \(exchange.outcome)"
        if let code = exchange.code ?? exchange.observation.code { text += " code=\(code)" }
        if let mvpd = exchange.mvpd { text += " mvpd=\(mvpd)" }
        if let subject = exchange.subject { text += " subject=\(subject.suffix(12))" }
        text += " \(exchange.observation.result)"
        if let reason = exchange.reason { text += " \(reason)" }
        if let record = exchange.observation.record { text += " record=\(record)" }
        if exchange.observation.profiles.isEmpty, let tag = exchange.observation.tag {
            text += " tag=\(tag.user)@\(tag.mvpd)"
        }
        for profile in exchange.observation.profiles {
            text +=
                " [\(profile.user ?? "?")@\(profile.mvpd) \(profile.kind?.rawValue ?? "?") "
                + "\(profile.notBefore % 10_000_000)-\(profile.notAfter % 10_000_000)]"
        }
        return text
    }
}
