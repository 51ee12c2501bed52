internal import Rendering

/// Which request decides it: how often it still happens when only the first ones keep their times.
struct CasePrefixes {
    let found: Case

    init(_ found: Case) { self.found = found }

    private static let row = 26.0
    private static let left = 250.0
    private static let right = 90.0
    private static let width = 760.0

    var html: HTML {
        guard found.prefixes.count > 1 else { return .none }
        let height = Self.row * Double(found.prefixes.count) + 8
        let rows = found.prefixes.enumerated().map { number, prefix in
            bar(prefix, top: Self.row * Double(number) + 4)
        }
        let lead =
            found.decisive.map { "\($0) decides it: from there on the hit rate changes." }
            ?? "No single request decides it."
        return """
            <p class="lead">Requests keep their times from the first down to the one named; those after it come at any \
            time. \(lead)</p>
            <figure><div class="scroll"><svg viewBox="0 0 \(px: Self.width) \(px: height)" width="\(px: Self.width)" \
            height="\(px: height)" role="img" aria-label="Hit rate by the requests that keep their times">\(rows)\
            </svg></div></figure>
            """
    }

    private func bar(_ prefix: Case.Prefix, top: Double) -> HTML {
        let room = Self.width - Self.left - Self.right
        let long = max(1, room * prefix.rate.share)
        let name = prefix.op.isEmpty ? "no request keeps its time" : "down to \(prefix.op)"
        let isDecisive = !prefix.op.isEmpty && prefix.op == found.decisive
        let classes = isDecisive ? "share decisive" : "share"
        return """
            <text class="tick" x="\(px: Self.left - 10)" y="\(px: top + 15)" text-anchor="end">\(name)</text>\
            <rect class="\(classes)" x="\(px: Self.left)" y="\(px: top + 2)" \
            width="\(px: long)" height="18"/>\
            <text class="tick" x="\(px: Self.left + long + 8)" y="\(px: top + 15)">\(prefix.rate.counted)</text>
            """
    }
}
