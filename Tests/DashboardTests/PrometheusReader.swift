import Testing

/// Reads the text format of Prometheus 0.0.4 as strictly as its page is written, and nothing that the
/// page does not allow.
struct PrometheusReader {
    struct Metric {
        var type: String
        var help: String
        var samples: [Sample] = []
    }

    struct Sample: Hashable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Problem: Error {
        var line: String
        var words: String
    }

    private(set) var metrics: [String: Metric] = [:]

    subscript(name: String, labels: [String: String]) -> Double? {
        metrics.values.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else {
            throw Problem(line: "", words: "no line feed at the end")
        }
        var current = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if let match = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)/) {
                let name = String(match.1)
                guard metrics[name] == nil else { throw problem(line, "HELP twice") }
                metrics[name] = Metric(type: "", help: try Self.unescaped(match.2, quotes: false))
                current = name
            } else if let match = line.wholeMatch(
                of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)/)
            {
                guard match.1 == current, metrics[current]?.type == "" else {
                    throw problem(line, "TYPE does not follow its HELP")
                }
                metrics[current]?.type = String(match.2)
            } else {
                let sample = try Self.sample(line)
                guard let metric = metrics[current], !metric.type.isEmpty else {
                    throw problem(line, "a sample before TYPE")
                }
                let family = metric.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard family.contains(where: { current + $0 == sample.name }) else {
                    throw problem(line, "not a sample of \(current)")
                }
                guard
                    !metric.samples.contains(where: {
                        $0.name == sample.name && $0.labels == sample.labels
                    })
                else { throw problem(line, "the same sample twice") }
                metrics[current]?.samples.append(sample)
            }
        }
    }

    private func problem(_ line: Substring, _ words: String) -> Problem {
        Problem(line: String(line), words: words)
    }

    private static func sample(_ line: Substring) throws -> Sample {
        guard let head = line.prefixMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) else {
            throw Problem(line: String(line), words: "no name")
        }
        var rest = line[head.range.upperBound...]
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                guard let name = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="/),
                    labels[String(name.1)] == nil
                else { throw Problem(line: String(line), words: "a label") }
                rest = rest[name.range.upperBound...]
                var value: Substring = ""
                while let next = rest.first, next != "\"" {
                    let length = next == "\\" ? 2 : 1
                    value += rest.prefix(length)
                    rest = rest.dropFirst(length)
                }
                labels[String(name.1)] = try unescaped(value, quotes: true)
                rest = rest.dropFirst()
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " ", let value = Double(rest.dropFirst().replacing("+Inf", with: "inf"))
        else { throw Problem(line: String(line), words: "no number") }
        return Sample(name: String(head.0), labels: labels, value: value)
    }

    private static func unescaped(_ text: Substring, quotes: Bool) throws -> String {
        var result = ""
        var rest = text
        while let next = rest.popFirst() {
            guard next == "\\" else {
                result.append(next)
                continue
            }
            switch rest.popFirst() {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "\"" where quotes: result.append("\"")
            default: throw Problem(line: String(text), words: "a stray backslash")
            }
        }
        return result
    }
}
