internal import Statistics

extension PlanEstimate: CustomStringConvertible {
    /// The plan as a table of at most 80 columns, warnings last.
    public var description: String {
        var lines = [
            row("households", households.map(String.init) ?? "about \(Self.whole(startedAbout))"),
            row("arrivals", arrivals),
            row("household lifetime", "about \(Self.time(life))"),
            row("concurrent households", "about \(Self.whole(alive))"),
            row("run duration", "about \(Self.time(duration))"),
            row(
                "connections",
                "\(connections) concurrent, \(Self.number(newConnectionsPerSecond)) new/s"),
            row("file descriptors", String(descriptors)),
            row("memory", "about \(memoryMB) MB"),
        ]
        if let measured { lines += Self.wrapped(capacity(measured), hanging: 22) }
        if windows.signIns >= 0.5 { lines += Self.wrapped(windowsRow, hanging: 22) }
        lines += [
            "",
            Self.columns("expected requests", "/household", "mean/s", "peak/s"),
        ]
        for operation in operations {
            lines.append(
                Self.columns(
                    operation.name.name, Self.number(operation.perHousehold),
                    Self.number(operation.mean), Self.number(operation.peak)))
        }
        lines.append(
            Self.columns(
                "all", Self.number(operations.reduce(0) { $0 + $1.perHousehold }),
                Self.number(operations.reduce(0) { $0 + $1.mean }),
                Self.number(operations.reduce(0) { $0 + $1.peak })))
        if let note {
            lines.append("")
            lines += Self.wrapped("note: " + note)
        }
        for warning in warnings {
            lines.append("")
            lines += Self.wrapped("warning: " + warning)
        }
        return lines.joined(separator: "\n")
    }

    private var arrivals: String {
        guard households != nil, peakArrivals > 0 else {
            return peakArrivals > 0
                ? "closed load: each is replaced when it ends, for "
                    + "\(Self.time(arrivalsEnd))" : "closed load: all at the start"
        }
        return "up to \(Self.number(peakArrivals))/s, over \(Self.time(arrivalsEnd))"
    }

    /// What was measured is of plain requests, and says so.
    private func capacity(_ measured: MachineLimits.Measured) -> String {
        let kept = measured.recordsAll ? "recorded" : "counted"
        let lanes = measured.lanes == 1 ? "1 lane" : "\(measured.lanes) lanes"
        return row(
            "this machine",
            "calibrated at \(Self.whole(measured.requestsPerSecond)) plain requests/s (\(kept), "
                + "\(lanes)) on \(measured.date); the plan needs "
                + "\(Self.whole(peakRequestsPerSecond))/s")
    }

    /// What a pass of `sign-in-visible` will be worth: the rig's own numbers, before the run.
    private var windowsRow: String {
        let share = windows.share(within: Self.usualWindow)
        let signIns = "about \(Self.whole(windows.signIns)) sign-ins on a phone: "
        let shortest =
            windows.shortestWindow.map {
                "a window after them is seen with 95 % from \(Self.milliseconds($0)) on"
            } ?? "no window after them would be seen with 95 %"
        guard let needed = TrialCount.toSee(share), share > 1e-6 else {
            return row(
                "detectable windows",
                signIns + shortest
                    + "; 30 ms would be missed, for no poll is due so soon after a sign-in")
        }
        return row(
            "detectable windows",
            signIns + shortest
                + "; 30 ms (hit in \(Self.number(share * 100)) % of sign-ins) needs about "
                + (needed == 1 ? "1 sign-in" : "\(Self.rounded(needed)) sign-ins"))
    }

    private static let usualWindow = 30e6

    private static func milliseconds(_ nanoseconds: Double) -> String {
        nanoseconds < 999.5e6
            ? "\(number(nanoseconds / 1e6)) ms" : "\(number(nanoseconds / 1e9)) s"
    }

    /// Two digits: more would be the luck of the draws.
    private static func rounded(_ count: Int) -> Int {
        var unit = 1
        while count / unit >= 100 { unit *= 10 }
        return (count + unit / 2) / unit * unit
    }

    private func row(_ name: String, _ value: String) -> String {
        Self.padded(name, 22) + value
    }

    private static func columns(_ name: String, _ each: String, _ mean: String, _ peak: String)
        -> String
    {
        padded(name, 26)
            + [each, mean, peak].map { text in
                String(repeating: " ", count: max(1, 12 - text.count)) + text
            }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    static func whole(_ value: Double) -> String { String(Int.bounded(value.rounded())) }

    /// Three digits or so: 0.25, 12.5, 480.
    static func number(_ value: Double) -> String {
        if value >= 100 || value == value.rounded() { return whole(value) }
        let digits = value >= 10 ? 10.0 : 100.0
        let scaled = Int((value * digits).rounded())
        let fraction = String(scaled % Int(digits))
        let zeros = String(repeating: "0", count: (digits == 10 ? 1 : 2) - fraction.count)
        return "\(scaled / Int(digits)).\(zeros)\(fraction)"
    }

    /// `450 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`.
    static func time(_ duration: Duration) -> String {
        let seconds = duration.seconds
        if seconds < 1, seconds > 0 { return "\(whole(duration.milliseconds)) ms" }
        if seconds < 60 { return "\(number(seconds)) s" }
        let all = Int(seconds.rounded())
        let (large, small, names) =
            all < 3_600
            ? (all / 60, all % 60, ("min", "s")) : (all / 3_600, all % 3_600 / 60, ("h", "min"))
        return small == 0 ? "\(large) \(names.0)" : "\(large) \(names.0) \(small) \(names.1)"
    }

    static func wrapped(_ text: String, hanging: Int = 2) -> [String] {
        // The first word keeps the space behind it: it may be a row's name.
        let indent = String(repeating: " ", count: hanging)
        var lines = [String(text.prefix(hanging == 2 ? 0 : hanging))]
        for word in text.dropFirst(lines[0].count).split(separator: " ") {
            let last = lines[lines.count - 1]
            let joint = last.isEmpty || last.hasSuffix("  ") ? "" : " "
            if last.count + joint.count + word.count <= 80 {
                lines[lines.count - 1] = last + joint + word
            } else {
                lines.append(indent + word)
            }
        }
        return lines
    }
}
