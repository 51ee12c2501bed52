internal import Dialects
internal import Rendering

/// What a machine in front of the service says in a page or a redirect of its own: in plain words, what is wrong.
enum FrontPage {
    /// What to do; nil where the answer says nothing of the kind.
    static func remedy(_ answer: String) -> String? {
        for (words, remedy) in remedies where answer.contains(words) { return remedy }
        return nil
    }

    /// The words of nginx (1.22), which stands in front of most.
    private static let remedies = [
        (
            "The plain HTTP request was sent to HTTPS port",
            "this port speaks TLS: write https:// instead of http:// in target.base"
        ),
        (
            "No required SSL certificate was sent",
            "what answers wants a client certificate: set target.tls.certificate and target.tls.key"
        ),
        (
            "The SSL certificate error",
            "what answers did not accept the client certificate: ask for one of its own authority and name its files "
                + "under target.tls.certificate and target.tls.key"
        ),
    ]

    /// The same of an error's example, and of a redirect to https on the same host, or to the same path elsewhere, as a load
    /// balancer's.
    static func remedy(_ talk: ErrorRow.RecordedMessages) -> String? {
        if let remedy = remedy(talk.reply.joined(separator: "\n")) { return remedy }
        guard let asked = WebAddress(talk.url),
            let status = talk.reply.first, status.hasPrefix("HTTP 30"),
            let line = talk.reply.first(where: { $0.lowercased().hasPrefix("location: http") }),
            let place = WebAddress(String(line.dropFirst("location: ".count))),
            place.origin != asked.origin
        else { return nil }
        let isToTLS =
            place.origin.host == asked.origin.host && asked.origin.scheme == .http
            && place.origin.scheme == .https
        return isToTLS || place.path == asked.path
            ? moved(from: asked, to: place) : nil
    }

    /// Only browsers follow redirects (correctness.md). `place`: nil where the answer does not tell.
    static func moved(from asked: WebAddress, to place: WebAddress?) -> String {
        let rest = ", and screenrig's TVs and apps do not follow: "
        guard let place, place.origin == asked.origin else {
            let other = place?.origin.description ?? "another address"
            return
                "\(asked.origin) redirects requests to \(other)\(rest)write that address in target.base"
        }
        return "\(asked.origin) redirects \(asked.path) to another address of its own\(rest)"
            + "correct the path of target.base, if the service has another, or ask its team why it redirects"
    }

    /// The title of a page, where there is one near the beginning; empty where not.
    static func title(_ html: String) -> String {
        let parts = html.split(separator: #/<title[^<>]*>/#.ignoresCase(), maxSplits: 1)
        guard parts.count > 1 else { return "" }
        return Sanitizer.line(String(parts[1].prefix { $0 != "<" }), limit: 80).trimmingSpaces()
    }
}
