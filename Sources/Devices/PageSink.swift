internal import Dialects
internal import Journal

/// Where pages go that a login could not get past: the run directory's `pages/`. Called
/// on lanes: must only hand over.
public protocol PageSink: Sendable {
    /// Offers a page. `page` writes it out, secrets taken out, and is called only if there is room
    /// for another one of this `cause`.
    func offer(cause: String, page: () -> String)
}

/// A page as it may be kept: what was seen on it on top, and every value taken out. Its source is text
/// in a document of ours: whatever is on it, a browser that opens the file runs and fetches nothing.
enum KeptPage {
    /// In case somebody's browser takes text for more.
    private static let policy = "default-src 'none'; base-uri 'none'; form-action 'none'"

    /// The document; secrets stay at the gate.
    static func text(
        _ page: HTMLPage, at address: WebAddress, status: Int?, cause: Untrusted, household: Int,
        through gate: OutputGate
    ) -> String {
        var lines: [Untrusted] = [
            "screenrig: a login stopped at this page; values are removed",
            "address: \(address.origin)\(address.path)",
            "status: \(ours: status.map(String.init) ?? "none")",
            "household: \(household)",
            "cause: \(cause)",
            "title: \(page.title)",
        ]
        lines += FormFinder.summary(page).map { "\($0)" }
        if page.forms.isEmpty { lines.append("no form") }
        if let excess = page.excess { lines.append("the page \(excess)") }
        for field in page.strayFields.prefix(8) { lines.append("outside any form: \(field.name)") }
        if page.hasScript { lines.append("the page has scripts") }
        let head = lines.map { gate.text($0) }.joined(separator: "\n")
        // Before as well: what is written anew has lost the letters by which a secret is known.
        let known = gate.body(Array(page.html.utf8), mediaType: "text/html")
        let source = gate.body(Array(redacted(known).utf8), mediaType: "text/html")
        return """
            <!DOCTYPE html>
            <html><head><meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta charset="utf-8"><title>A login page</title></head><body>
            <pre>\(escaped(head))</pre>
            <hr>
            <pre>\(escaped(source))</pre>
            </body></html>

            """
    }

    private static func escaped(_ text: String) -> String {
        var shown = ""
        shown.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": shown += "&amp;"
            case "<": shown += "&lt;"
            case ">": shown += "&gt;"
            case "\"": shown += "&quot;"
            case "\n", "\t": shown.unicodeScalars.append(scalar)
            default: if !scalar.isControl { shown.unicodeScalars.append(scalar) }
            }
        }
        return shown
    }

    /// The page with the values of its fields, the queries of its links and everything that looks
    /// like a token replaced by `(redacted)`.
    static func redacted(_ html: String) -> String {
        let bytes = Array(html.utf8)
        var result: [UInt8] = []
        var position = 0
        let tags = HTMLTags(html)
        for tag in tags.list {
            let between = bytes[position..<max(position, tag.place.lowerBound)]
            result += withoutTokens(between)
            result +=
                tags.isClosing(tag)
                ? Array(bytes[tag.place]) : Array(rewritten(tag, of: tags).utf8)
            position = tag.place.upperBound
        }
        // Where the tags are not known, values cannot be taken out.
        if let excess = tags.excess {
            result += "\n<!-- the rest was not recorded: the page \(excess) -->\n".utf8
        } else {
            result += withoutTokens(bytes[min(position, bytes.count)...])
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let mark = "(redacted)"

    private static func rewritten(_ tag: HTMLTag, of page: HTMLTags) -> String {
        let isLabel = ["submit", "button", "reset"].contains(page.lowered("type", tag))
        let tagName = page.name(tag)
        var text = "<\(tagName)"
        for (name, value) in page.attributes(tag) {
            var value = value
            switch name {
            case "value" where tagName != "button" && !isLabel && !value.isEmpty: value = mark
            case "href", "src", "action", "formaction", "content": value = withoutQuery(value)
            default: break
            }
            value = String(decoding: withoutTokens(Array(value.utf8)[...]), as: UTF8.self)
            let quoted = value.split(separator: "\"", omittingEmptySubsequences: false)
                .joined(separator: "&quot;")
            text += value.isEmpty ? " \(name)" : " \(name)=\"\(quoted)\""
        }
        return text + ">"
    }

    /// `/login?state=(redacted)&x=(redacted)`.
    private static func withoutQuery(_ address: String) -> String {
        guard let start = address.firstIndex(of: "?") else { return address }
        let fields = address[address.index(after: start)...].split(separator: "&").map { field in
            field.firstIndex(of: "=").map { "\(field[...$0])\(mark)" } ?? String(field)
        }
        return address[...start] + fields.joined(separator: "&")
    }

    /// Runs of 20 letters, digits and signs of Base64 or hexadecimal among which is a digit: session
    /// ids, states, tokens. Words and paths are left.
    private static func withoutTokens(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var run: [UInt8] = []
        func close() {
            let hasDigit = run.contains { (0x30...0x39).contains($0) }
            result += run.count >= 20 && hasDigit ? Array(mark.utf8) : run
            run = []
        }
        for byte in bytes {
            let isLetter = (0x61...0x7a).contains(byte | 0x20)
            let isDigit = (0x30...0x39).contains(byte)
            if isLetter || isDigit || "+=_%-".utf8.contains(byte) {
                run.append(byte)
            } else {
                close()
                result.append(byte)
            }
        }
        close()
        return result
    }
}
