internal import Checker
internal import Dialects
internal import Formats
internal import Journal
internal import Rendering

/// The time axis of a trace: a lane for each device, one for the viewer, one for what the judge held possible of
/// the TV. Places are shares of the width, so that zooming is a matter of one length.
struct TraceTimeline {
    private let trace: Trace
    private let steps: [TraceStep]
    private let from: Instant
    private let span: Double

    /// Bars of one lane; what is beyond them is drawn as one.
    private static let barLimit = 1_500

    init(_ trace: Trace, _ steps: [TraceStep]) {
        self.trace = trace
        self.steps = steps
        from = trace.origin
        span = max(1, (trace.through - trace.origin).milliseconds)
    }

    var html: HTML {
        let lanes = trace.devices.map { device -> HTML in
            let style = device.role == .firstScreen ? "tv" : "phone"
            return lane(Self.capitalized(trace.name(of: device)), style, bars(device))
        }
        let axis =
            span < 60_000
            ? Axis.between(0, span / 1000, wanted: 7) { Axis.time($0 * 1000) }
            : Axis.time(through: span / 1000)
        let ticks = axis.ticks.map {
            "<span class=\"mark\" style=\"left:\(share($0.value * 1000))%\"><b>\($0.label)</b></span>"
                as HTML
        }
        let pins = self.pins
        return """
            <p class="lead"><span class="legend">Requests: <i class="ok"></i>succeeded \
            <i class="wait"></i>pending or throttled <i class="bad"></i>error <i class="proof"></i>evidence of \
            a violation</span> <span class="legend">State of the TV: <i class="b-out"></i>no token \
            <i class="b-in"></i>a token <i class="b-open"></i>either <i class="b-broken"></i>contradiction\
            </span></p>
            <div class="zoom screen-only" id="zoom" hidden="hidden"><button type="button" data-zoom="in">Zoom in\
            </button><button type="button" data-zoom="out">Zoom out</button><button type="button" \
            data-zoom="all">All</button></div>
            <div class="timeline" id="tl" data-ms="\(DecimalText.trimmed(span, 3))" role="region" tabindex="0" \
            aria-label="Timeline"><div class="wide">
            <div class="axis" id="axis">\(ticks)</div>
            <div class="pins" aria-hidden="true">\(pins.html)</div>
            <div style="height:\(pins.rows * 16 + 4)px"></div>
            \(lane("Viewer", "viewer", viewer))
            \(lanes)
            \(trace.unbelieved == nil ? lane("State of the TV", "states", states) : .none)
            </div></div>
            """
    }

    private func lane(_ name: String, _ style: String, _ bars: [HTML]) -> HTML {
        if bars.isEmpty { return .none }
        return """
            <div class="lane \(style)"><span class="lane-name">\(name)</span>\
            <div class="bars">\(bars)</div></div>

            """
    }

    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    // MARK: Places

    /// Percent of the width, with a little room at both ends.
    private func share(_ milliseconds: Double) -> String {
        DecimalText.trimmed(0.5 + min(max(milliseconds / span, 0), 1) * 98.5, 4)
    }

    private func place(_ from: Instant, _ through: Instant) -> String {
        let start = min(max((from - self.from).milliseconds / span, 0), 1)
        let end = min(max((through - self.from).milliseconds / span, start), 1)
        let left = DecimalText.trimmed(0.5 + start * 98.5, 4)
        return "left:\(left)%;width:\(DecimalText.trimmed((end - start) * 98.5, 4))%"
    }

    // MARK: Lanes

    private func bars(_ device: DeviceID) -> [HTML] {
        var bars: [HTML] = []
        for step in steps {
            switch step {
            case .exchange(let position): bars += bar(position, row: position, device)
            case .repeated(let positions):
                guard let last = positions.last else { continue }
                if positions.count + bars.count <= Self.barLimit {
                    for position in positions { bars += bar(position, row: positions[0], device) }
                } else if trace.exchanges[last].exchange.device == device {
                    bars.append(band(positions, last))
                }
            case .event(let position):
                let event = trace.events[position]
                guard event.device == device else { continue }
                bars.append(
                    """
                    <i class="event" style="\(place(event.at, event.at))" title="\(Sanitizer.line(event.name)), \
                    \(trace.clock(event.at))"></i>
                    """)
            default: continue
            }
        }
        return bars
    }

    private func bar(_ position: Int, row: Int, _ device: DeviceID) -> [HTML] {
        let entry = trace.exchanges[position]
        let exchange = entry.exchange
        guard exchange.device == device else { return [] }
        let took = Figures.time(milliseconds: (exchange.ended - exchange.sent).milliseconds)
        return [
            """
            <a class="bar \(style(entry))" href="#\(trace.anchor(row))" tabindex="-1" \
            style="\(place(exchange.sent, exchange.ended))" title="\(exchange.operation.name) \
            #\(exchange.sequence): \(TraceDetail.answer(exchange)), \(took), at \(trace.clock(exchange.sent))"></a>
            """
        ]
    }

    private func band(_ positions: [Int], _ last: Int) -> HTML {
        let entries = positions.map { trace.exchanges[$0] }
        let (first, last) = (entries[0].exchange, trace.exchanges[last].exchange)
        return """
            <a class="bar band \(style(entries[0]))" href="#\(trace.anchor(positions[0]))" tabindex="-1" \
            style="\(place(first.sent, last.ended))" title="\(TracePage.title(entries))"></a>
            """
    }

    private func style(_ entry: Trace.TraceExchange) -> String {
        if !entry.violations.isEmpty { return "proof" }
        if entry.exchange.isError { return "bad" }
        return entry.exchange.outcome == .ok ? "ok" : "wait"
    }

    /// When everything waited for the viewer: from the code to the phone's first request, and between the
    /// phone's requests until it was done.
    private var viewer: [HTML] {
        var waits: [(from: Instant, through: Instant, text: String)] = []
        let phone = trace.exchanges.map(\.exchange).filter {
            $0.device.role == .secondScreen && $0.device.household == trace.household
        }
        guard let shown = trace.record.codeShown, let first = phone.first else { return [] }
        waits.append((shown, first.sent, "sees the code and takes the phone"))
        var end = first.ended
        for exchange in phone.dropFirst() where exchange.sent <= trace.record.phoneDone ?? .start {
            // Less is the program's own.
            if exchange.sent - end > .milliseconds(20) {
                let what =
                    exchange.signInStep == .lookUpCode
                    ? "types the code" : "goes on to \(exchange.operation.name)"
                waits.append((end, exchange.sent, what))
            }
            end = max(end, exchange.ended)
        }
        return waits.filter { $0.through > $0.from }.map { wait in
            let time = Figures.time(milliseconds: (wait.through - wait.from).milliseconds)
            return """
                <i class="bar human" style="\(place(wait.from, wait.through))" \
                title="the viewer \(wait.text): \(time)"></i>
                """
        }
    }

    /// Stretches of one belief.
    private var states: [HTML] {
        var stretches: [(from: Instant, view: Belief.View)] = []
        let own = trace.exchanges.filter { $0.exchange.device.household == trace.household }
            .sorted { $0.exchange.ended < $1.exchange.ended }
        for entry in own {
            guard let after = entry.after, stretches.last?.view != after else { continue }
            let isLost = entry.exchange.delivery.status == nil
            stretches.append((isLost ? entry.exchange.sent : entry.exchange.ended, after))
        }
        return stretches.indices.map { index in
            let (from, view) = stretches[index]
            let through = index + 1 < stretches.count ? stretches[index + 1].from : trace.through
            return """
                <i class="bar state \(BeliefText.style(view))" style="\(place(from, through))" \
                title="\(BeliefText.words(view)), from \(trace.clock(from))"><span>\(BeliefText.brief(view))</span></i>
                """
        }
    }

    /// Moments that the story names, and how many rows their names need.
    private var pins: (html: [HTML], rows: Int) {
        let record = trace.record
        let moments = [
            ("code shown", record.codeShown), ("phone done", record.phoneDone),
            ("token seen", record.tokenSeen),
        ]
        var last = -100.0
        var level = 0
        var rows = 0
        let ordered = moments.compactMap { name, at in at.map { (name, $0) } }.sorted {
            $0.1 < $1.1
        }
        let drawn = ordered.map { name, at -> HTML in
            let share = (at - from).milliseconds / span * 100
            // Names that would meet stand below one another.
            level = share - last < 12 ? (level + 1) % 3 : 0
            last = share
            rows = max(rows, level + 1)
            return """
                <i class="pin\(share > 85 ? " late" : "") l\(level)" style="left:\(self.share((at - from).milliseconds))%">\
                <b>\(name)</b></i>
                """
        }
        return (drawn, rows)
    }
}
