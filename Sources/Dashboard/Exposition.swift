/// Writes the text format of Prometheus, 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats):
/// for each metric its HELP and TYPE once, then its samples together.
struct Exposition {
    private(set) var text = ""
    /// On each sample, before its own.
    private let common: Labels

    init(labels: Labels = []) { common = labels }

    enum Kind: String {
        case counter, gauge, histogram
    }

    /// Names and values of labels, in the order in which they are written.
    typealias Labels = [(name: String, value: String)]

    /// Begins a metric; its samples follow.
    mutating func begin(_ name: String, _ kind: Kind, help: String) {
        text += "# HELP \(name) \(Self.escaped(help: help))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ labels: Labels = [], _ value: Double) {
        text += name
        let labels = common + labels
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped(label: $0.value))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(Self.number(value))\n"
    }

    mutating func sample(_ name: String, _ labels: Labels = [], _ count: Int) {
        sample(name, labels, Double(count))
    }

    /// A backslash and a line feed end a help text early.
    static func escaped(help: String) -> String {
        help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    /// In the value of a label a quote does as well.
    static func escaped(label: String) -> String {
        escaped(help: label).replacing("\"", with: "\\\"")
    }

    /// As Go's ParseFloat reads it; whole numbers without a point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }
}
