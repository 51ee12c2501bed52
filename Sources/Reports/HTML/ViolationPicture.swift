internal import Checker
internal import Formats
internal import Rendering

/// The picture of a violation on a true time axis, for the distance is the story: a lane for each
/// screen and one for what the service may have believed, a box from call to return for each
/// operation, the conflict in colour, the gap labelled.
enum ViolationPicture {
    private static let width = 1040.0
    private static let left = 86.0
    private static let right = 20.0
    private static let laneHeight = 46.0
    private static let top = 26.0

    static func html(_ violation: Violation, number: Int) -> HTML {
        let entries = shown(violation.scene)
        let gap = Gap(violation, entries)
        guard let scale = scale(entries, gap) else { return .none }
        let screens = Set(entries.map(\.screen)).sorted()
        let rows = Double(screens.count + 1)
        let height = top + rows * laneHeight + 30
        let lanes = screens.enumerated().map { position, screen -> HTML in
            lane(name(of: screen), y(position))
        }
        let belief = lane("state", y(screens.count))
        let boxes = entries.map { entry -> HTML in
            box(
                entry, y(screens.firstIndex(of: entry.screen) ?? 0), scale,
                isLast: entry.sequence == violation.exchanges.last)
        }
        let beliefs = entries.map { entry -> HTML in believed(entry, y(screens.count), scale) }
        return """
            <figure><div class="scroll" role="region" tabindex="0" aria-label="Diagram of finding \(number + 1)"><svg viewBox="0 0 \(px: width) \(px: height)" role="img" \
            aria-labelledby="v\(number)-t"><title id="v\(number)-t">\(Sanitizer.sentence(violation.sentence))</title>
            \(lanes)\(belief)\(drawn(gap, screens, scale))\(boxes)\(beliefs)\(axis(scale, height))
            </svg></div></figure>
            """
    }

    /// The conflict with a little of what is around it: far operations would squeeze the near ones.
    private static func shown(_ scene: [SceneEntry]) -> [SceneEntry] {
        let conflict = scene.filter(\.isConflict)
        guard let from = conflict.map(\.call).min(),
            let through = conflict.map({ $0.isOpen ? $0.call : $0.ret }).max()
        else { return [] }
        let margin = max((through - from) / 4, 2_000_000)
        return scene.filter {
            $0.isConflict || ($0.ret >= from - margin && $0.call <= through + margin)
        }
    }

    /// The gap between two operations may be a thousand times their length: boxes are never narrower
    /// than a reader can see.
    private static func scale(_ entries: [SceneEntry], _ gap: Gap?) -> ConflictDrawing? {
        let times = gap.map { [$0.from, $0.through] } ?? []
        guard !entries.isEmpty, let from = (entries.map(\.call) + times).min(),
            let through = (entries.map { $0.isOpen ? $0.call : $0.ret } + times).max()
        else { return nil }
        let margin = max((through - from) / 25, 200_000)
        return ConflictDrawing(
            from: from - margin, through: through + margin, left: left, right: right, width: width)
    }

    private static func y(_ row: Int) -> Double { top + Double(row) * laneHeight }

    private static func name(of screen: Int) -> String {
        screen == 0 ? "TV" : screen == 1 ? "phone" : "phone-\(screen)"
    }

    private static func lane(_ name: String, _ y: Double) -> HTML {
        """
        <line class="lane" x1="\(px: left)" x2="\(px: width - right)" y1="\(px: y + 24)" \
        y2="\(px: y + 24)"/><text class="tick" x="\(px: left - 12)" y="\(px: y + 28)" \
        text-anchor="end">\(name)</text>
        """
    }

    private static func box(
        _ entry: SceneEntry, _ y: Double, _ scale: ConflictDrawing, isLast: Bool
    ) -> HTML {
        let start = scale.across(entry.call)
        let end = entry.isOpen ? width - right : scale.across(entry.ret)
        let wide = max(end - start, 3)
        let style = entry.isOpen ? "open" : isLast ? "op last" : entry.isConflict ? "op hit" : "op"
        let title = "\(entry.operation.name) #\(entry.sequence): \(entry.answer)"
        let label: HTML =
            entry.isConflict
            ? """
            <text class="label" x="\(px: min(start, width - 240))" y="\(px: y + 10)">\(title)</text>
            """ : .none
        return """
            <rect class="\(style)" x="\(px: start)" y="\(px: y + 15)" width="\(px: wide)" height="18" \
            rx="3"><title>\(title)</title></rect>\(label)
            """
    }

    /// What may have been true after it returned; nothing any more where no order explains it.
    private static func believed(_ entry: SceneEntry, _ y: Double, _ scale: ConflictDrawing) -> HTML
    {
        guard entry.isConflict, !entry.isOpen else { return .none }
        let states = ConflictDrawing.states(Int(entry.belief))
        let style = states == nil ? "gaptext" : "belief"
        return """
            <text class="\(style)" x="\(px: scale.across(entry.ret))" y="\(px: y + 28)" \
            text-anchor="\(states == nil ? "end" : "start")">\(states ?? "no possible state")</text>
            """
    }

    /// The gap that the sentence tells, where it really was: from one exchange's return to the sending
    /// of another, or between an exchange and an end that nobody asked for (an expiry).
    private struct Gap {
        var from: Int64
        var through: Int64
        /// The screens of the exchanges at its ends; nil where there is none.
        var first: Int?
        var second: Int?

        init?(_ violation: Violation, _ entries: [SceneEntry]) {
            guard let gap = violation.gap, let from = violation.gapFrom else { return nil }
            self.from = from
            let through = from + gap
            self.through = through
            let conflict = entries.filter(\.isConflict)
            first = conflict.first { $0.ret == from }?.screen
            second = conflict.first { $0.call == through }?.screen
        }
    }

    private static func drawn(_ gap: Gap?, _ screens: [Int], _ scale: ConflictDrawing) -> HTML {
        guard let gap, gap.first != nil || gap.second != nil else { return .none }
        func height(_ screen: Int?) -> Double {
            y(screens.firstIndex(of: screen ?? gap.first ?? gap.second ?? 0) ?? 0) + 24
        }
        let (from, to) = (scale.across(gap.from), scale.across(gap.through))
        let (high, low) = (height(gap.first), height(gap.second))
        let text = Figures.time(milliseconds: Double(gap.through - gap.from) / 1e6)
        let isUnasked = gap.first == nil || gap.second == nil
        let end = isUnasked ? expiry(gap.first == nil ? from : to, high) : .none
        return """
            <line class="gap" x1="\(px: from)" y1="\(px: high)" x2="\(px: to)" y2="\(px: low)"/>\(end)\
            <text class="gaptext" x="\(px: (from + to) / 2)" y="\(px: (high + low) / 2 - 6)" \
            text-anchor="middle">\(text)</text>
            """
    }

    private static func expiry(_ x: Double, _ y: Double) -> HTML {
        """
        <line class="gap" x1="\(px: x)" y1="\(px: y - 12)" x2="\(px: x)" y2="\(px: y + 12)"/>\
        <text class="gaptext" x="\(px: x)" y="\(px: y + 24)" text-anchor="middle">expiry</text>
        """
    }

    private static func axis(_ scale: ConflictDrawing, _ height: Double) -> HTML {
        let marks = (0...4).map { step -> HTML in
            let time = scale.from + (scale.through - scale.from) / 4 * Int64(step)
            let seconds = DecimalText.fixed(Double(time) / 1e9, 4)
            return """
                <text class="tick" x="\(px: scale.across(time))" y="\(px: height - 8)" \
                text-anchor="\(step == 0 ? "start" : step == 4 ? "end" : "middle")">\(seconds) s</text>
                """
        }
        return "\(marks)"
    }
}
