internal import Dialects
internal import Formats
internal import Journal

/// Requests as `curl` lines that a shell takes as they are. Secrets are not kept, so each stands as
/// an environment variable; equal secrets are one variable.
struct CurlText {
    /// Variables by fingerprint, in the order in which they were met.
    private(set) var variables: [(name: String, fingerprint: String)] = []

    /// `curl -sS -i -X POST 'http://…' …`, each part on a line of its own.
    mutating func line(_ message: KeptMessage) -> String {
        // Nothing of what was recorded is an option, a file or a pattern to curl.
        var parts = ["curl -sS -i -g --proto '=http,https'"]
        if message.method != "GET" { parts[0] += " -X \(message.method)" }
        parts[0] += " --url " + quoted(message.url)
        for field in message.requestHeaders.fields where !Self.ownHeaders.contains(field.name) {
            parts.append("-H " + quoted("\(field.name): \(field.value)"))
        }
        if !message.requestBody.isEmpty {
            parts.append("--data-raw " + quoted(message.requestBody))
        }
        return parts.joined(separator: " \\\n  ")
    }

    /// What is to be set first: a comment for each variable.
    var preface: String {
        variables.map { "# export \($0.name)=...   (fingerprint \($0.fingerprint))\n" }.joined()
    }

    /// Fields that curl writes itself.
    private static let ownHeaders: Set<String> = ["Content-Length", "Host", "Connection"]

    /// In single quotes, which a shell leaves alone; variables between them in double quotes.
    private mutating func quoted(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let mark = rest.firstRange(of: Self.opening) {
            let digits = rest[mark.upperBound...].prefix { $0.isHexDigit }
            let end = digits.endIndex
            guard digits.count == 16, end < rest.endIndex, rest[end] == ")" else {
                result += Self.plain(rest[..<mark.upperBound])
                rest = rest[mark.upperBound...]
                continue
            }
            let before = rest[..<mark.lowerBound]
            result += Self.plain(before) + "\"$\(variable(String(digits), after: before))\""
            rest = rest[rest.index(after: end)...]
        }
        result += Self.plain(rest)
        return result.isEmpty ? "''" : result
    }

    private static let opening = "(secret #"

    private static func plain(_ text: Substring) -> String {
        text.isEmpty ? "" : ShellText.quoted(text)
    }

    /// Named after the field that the secret is the value of: `CLIENT_SECRET`, `AUTHORIZATION`.
    private mutating func variable(_ fingerprint: String, after text: Substring) -> String {
        if let known = variables.first(where: { $0.fingerprint == fingerprint }) {
            return known.name
        }
        let pattern = #/([A-Za-z][A-Za-z0-9_.-]*)["']?\s*[=:>]\s*["']?(?:Bearer |Basic )?$/#
        let field = text.suffix(80).firstMatch(of: pattern).map { String($0.1) } ?? "secret"
        let plain = String(field.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        let same = variables.count {
            $0.name == plain || $0.name.wholeMatch(of: #/(.+)_\d+/#)?.1 == plain[...]
        }
        let name = same == 0 ? plain : "\(plain)_\(same + 1)"
        variables.append((name, fingerprint))
        return name
    }
}
