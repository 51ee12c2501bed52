internal import Rendering

/// The picture of a case on a true time axis, for the distance is the story: a lane for each screen
/// and one for what the service may believe, a box from the last byte sent to the first byte of the
/// answer with whiskers to the looser stamps, only the conflict in colour, an arrow from "returned
/// here" to "sent here" with the gap. Drawn twice: near, and the whole trial.
struct CaseTimeline {
    private let picture: CasePicture
    private let lanes: [String]

    private static let width = 1040.0
    private static let left = 118.0
    private static let right = 24.0
    private static let top = 14.0

    init(_ picture: CasePicture) {
        self.picture = picture
        var lanes: [String] = []
        for entry in picture.entries where !lanes.contains(entry.lane) { lanes.append(entry.lane) }
        self.lanes = lanes.sorted { Self.rank($0) < Self.rank($1) }
    }

    /// TVs above phones, as they stand.
    private static func rank(_ lane: String) -> (Int, String) {
        (lane.contains("phone") ? 1 : 0, lane)
    }

    var html: HTML {
        let ends = picture.entries.filter(\.isEnd)
        let conflict = ends.count == 2 ? ends : picture.entries.filter(\.isConflict)
        guard let from = conflict.map(\.sent).min(),
            let through = conflict.map({ $0.isOpen ? $0.sent : $0.firstByte }).max()
        else {
            return picture.entries.isEmpty
                ? "<p class=\"empty\">Not replayed yet, so there is no trial to show.</p>"
                : .none
        }
        let margin = max((through - from) / 4, 500_000)
        let near = Span(from: from - margin, through: through + margin)
        let begun = picture.entries.map(\.begun).min() ?? from
        let ended = picture.entries.map(\.ended).max() ?? through
        let rest = max((ended - begun) / 40, 100_000)
        let whole = Span(from: begun - rest, through: ended + rest)
        return """
            <p class="lead">A box is a request, from its last byte sent to the first byte of its answer: \
            the service acted on it in between.</p>
            \(figure("The contradiction", near, id: "near", isNear: true))
            \(figure("The whole trial", whole, id: "whole", isNear: false))
            """
    }

    private struct Span {
        var from: Int64
        var through: Int64

        func across(_ time: Int64) -> Double {
            let share =
                Double(min(max(time, from), through) - from) / Double(max(1, through - from))
            return left + share * (width - left - right)
        }

        func holds(_ entry: CasePicture.Entry) -> Bool {
            (entry.isOpen || entry.firstByte >= from) && entry.sent <= through
        }
    }

    private func figure(_ caption: String, _ span: Span, id: String, isNear: Bool) -> HTML {
        let laneHeight = isNear ? 56.0 : 34.0
        let shown = picture.entries.filter { span.holds($0) }
        let used = lanes.filter { lane in !isNear || shown.contains { $0.lane == lane } }
        let beliefs = isNear && shown.contains { $0.isConflict && $0.belief != nil }
        let floor = Self.top + Double(used.count) * laneHeight + (beliefs ? 44 : 0)
        let height = floor + 30
        func y(_ lane: String) -> Double {
            Self.top + Double(used.firstIndex(of: lane) ?? 0) * laneHeight + laneHeight / 2
        }
        let rows = used.map { row($0, y($0)) }
        let boxes = shown.map { box($0, y($0.lane), span, isNear: isNear) }
        let words = shown.filter(\.isConflict).map {
            "\($0.lane) \($0.name) returned \($0.answer)"
        }.joined(separator: ", then ")
        let detail: HTML =
            isNear
            ? "\(beliefs ? belief(shown, floor - 30, span) : .none)\(arrow(shown, y, span))" : .none
        return """
            <figure><figcaption>\(caption)</figcaption><div class="scroll">\
            <svg viewBox="0 0 \(px: Self.width) \(px: height)" role="img" \
            aria-labelledby="\(id)-t \(id)-d"><title id="\(id)-t">\(caption)</title>\
            <desc id="\(id)-d">\(Sanitizer.line(words, limit: 400))</desc>
            <defs><pattern id="\(id)-hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><line class="whisker" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>
            \(rows)\(boxes)\(detail)\(axis(span, floor))
            </svg></div></figure>
            """
    }

    private func row(_ name: String, _ y: Double) -> HTML {
        """
        <line class="row" x1="\(px: Self.left)" x2="\(px: Self.width - Self.right)" y1="\(px: y)" \
        y2="\(px: y)"/><text class="row-name" x="\(px: Self.left - 14)" y="\(px: y + 4)" \
        text-anchor="end">\(Sanitizer.line(name, limit: 16))</text>
        """
    }

    private func box(
        _ entry: CasePicture.Entry, _ y: Double, _ span: Span, isNear: Bool
    ) -> HTML {
        let size = isNear ? 18.0 : 14.0
        let start = span.across(entry.sent)
        let end = entry.isOpen ? Self.width - Self.right : span.across(entry.firstByte)
        let wide = max(end - start, 3)
        let title = "\(entry.name): \(entry.answer)\(entry.status.map { " (\($0))" } ?? "")"
        let fill = entry.isOpen ? " style=\"fill:url(#\(isNear ? "near" : "whole")-hatch)\"" : ""
        let whiskers: HTML =
            isNear && !entry.isOpen
            ? """
            <line class="whisker" x1="\(px: span.across(entry.begun))" \
            x2="\(px: span.across(entry.ended))" y1="\(px: y)" y2="\(px: y)"/>
            """ : .none
        let isRight = start > Self.width * 0.72
        // What is not of the conflict is named where there is room; pointing at it names it anyway.
        let next = picture.entries.filter { $0.lane == entry.lane && $0.sent > entry.sent }
            .map(\.sent).min()
        let room = next.map { span.across($0) - start } ?? Self.width - Self.right - start
        let isNamed = entry.isConflict || room > Double(title.count) * 6.4
        let label: HTML =
            isNear && isNamed
            ? """
            <text class="box-label\(entry.isConflict ? "" : " soft")" \
            x="\(px: isRight ? start + wide : start)" \
            y="\(px: entry.isConflict ? y - size / 2 - 5 : y + size / 2 + 12)" \
            text-anchor="\(isRight ? "end" : "start")">\(title)</text>
            """ : .none
        return """
            \(whiskers)<rect class="\(style(entry))" x="\(px: start)" y="\(px: y - size / 2)" \
            width="\(px: wide)" height="\(px: size)" rx="3"\(HTML(stringLiteral: fill))>\
            <title>\(title)</title></rect>\(label)
            """
    }

    private func style(_ entry: CasePicture.Entry) -> String {
        guard entry.isConflict else { return "box" }
        return switch entry.answer {
        case "success": "box success"
        case "maybe", "ok", "redirect": "box maybe"
        default: "box no"
        }
    }

    /// From where the first of the two returned to where the other one was sent.
    private func arrow(
        _ shown: [CasePicture.Entry], _ y: (String) -> Double, _ span: Span
    ) -> HTML {
        let ends = shown.filter(\.isEnd).sorted { $0.sent < $1.sent }
        guard ends.count == 2 else { return .none }
        let (first, second) = (ends[0], ends[1])
        guard second.sent > first.firstByte else { return .none }
        let (from, to) = (span.across(first.firstByte), span.across(second.sent))
        let (start, end) = (y(first.lane), y(second.lane))
        let gap = Figures.time(milliseconds: Double(second.sent - first.firstByte) / 1e6)
        let middle = (from + to) / 2
        let height = start == end ? start - 26 : (start + end) / 2 + 4
        let path: HTML =
            start == end
            ? """
            <path class="arrow" d="M\(px: from),\(px: start - 10)V\(px: start - 18)H\(px: to)V\(px: end - 12)"/>
            """
            : """
            <path class="arrow" d="M\(px: from),\(px: start)C\(px: middle),\(px: start) \(px: middle),\(px: end) \(px: to - 5),\(px: end)"/>
            """
        let tip: HTML = """
            <path class="head" d="M\(px: to),\(px: end)l-8,-4v8z"/>
            """
        // Where the arrow is shorter than its label, the label stands behind it.
        let beside = to - from < 130
        return """
            \(path)\(tip)<text class="gaptext on-line" x="\(px: beside ? to + 30 : middle)" \
            y="\(px: beside ? (start + end) / 2 + 4 : height)" \
            text-anchor="\(beside ? "start" : "middle")">\(gap) between</text>
            """
    }

    /// What may have been true after each return of the conflict, until nothing can be any more.
    private func belief(_ shown: [CasePicture.Entry], _ y: Double, _ span: Span) -> HTML {
        let told = shown.filter { $0.isConflict && !$0.isOpen && $0.belief != nil }
            .sorted { $0.firstByte < $1.firstByte }
        let boxes = told.enumerated().map { position, entry -> HTML in
            let start = span.across(entry.firstByte)
            let next = position + 1 < told.count ? told[position + 1].firstByte : span.through
            let words = Self.words(entry.belief ?? 0)
            let isNone = words.isEmpty
            let style = isNone ? " none" : ""
            let text = isNone ? "no possible state" : words.joined(separator: " or ")
            let wide = max(span.across(next) - start, 4)
            let fits = wide > Double(text.count) * 6.6
            let anchor = fits || start < Self.width * 0.7
            return """
                <rect class="believed\(style)" x="\(px: start)" y="\(px: y - 11)" width="\(px: wide)" \
                height="22" rx="3"/><text class="belief-text\(style)" \
                x="\(px: anchor ? start + 7 : start - 7)" y="\(px: y + 4)" \
                text-anchor="\(anchor ? "start" : "end")">\(text)</text>
                """
        }
        return """
            <text class="row-name" x="\(px: Self.left - 14)" y="\(px: y + 4)" \
            text-anchor="end">TV may be</text>\(boxes)
            """
    }

    private static func words(_ belief: Int) -> [String] {
        var words: [String] = []
        if belief & 1 != 0 { words.append("signed out") }
        for tag in 1..<16 where belief >> tag & 1 != 0 {
            words.append(tag == 1 ? "signed in" : "signed in (\(tag))")
        }
        return words
    }

    /// Milliseconds since the first of the conflict returned.
    private func axis(_ span: Span, _ floor: Double) -> HTML {
        let zero =
            (picture.entries.first(where: \.isEnd) ?? picture.entries.first(where: \.isConflict))?
            .firstByte ?? span.from
        let (low, high) = (Double(span.from - zero) / 1e6, Double(span.through - zero) / 1e6)
        let scale = Axis.between(low, high, wanted: 8) { CasePage.signed($0) }
        let marks = scale.ticks.map { tick -> HTML in
            let at = span.across(zero + Int64(tick.value * 1e6))
            return """
                <line class="mark" x1="\(px: at)" x2="\(px: at)" y1="\(px: floor)" y2="\(px: floor + 5)"/>\
                <text class="tick" x="\(px: at)" y="\(px: floor + 20)" text-anchor="middle">\(tick.label)</text>
                """
        }
        return """
            <line class="mark" x1="\(px: Self.left)" x2="\(px: Self.width - Self.right)" \
            y1="\(px: floor)" y2="\(px: floor)"/>\(marks)
            """
    }
}
