internal import Dashboard
internal import Reports
internal import Runner
internal import Synchronization

/// Shows a run on the terminal while it goes on, and on its pages where somebody asked for them.
final class RunDisplay: RunObserver {
    enum Form {
        case nothing
        /// A line every few seconds: logs keep it readable.
        case lines
        /// A block, redrawn in place.
        case block
        /// An object each second, on standard output.
        case json
    }

    private let form: Form
    private let dashboard: Dashboard?
    private let telemetry: TelemetryExporter?
    private let state = Mutex(Shown())

    private struct Shown {
        var printer = LivePrinter()
        var lines: [String] = []
        var hasEnded = false
    }

    private static let printEvery = 3

    init(_ form: Form, _ dashboard: Dashboard?, _ telemetry: TelemetryExporter? = nil) {
        (self.form, self.dashboard, self.telemetry) = (form, dashboard, telemetry)
    }

    var wantsBatches: Bool { dashboard != nil || telemetry != nil }

    func changed(_ live: LiveState) {
        dashboard?.show(live)
        telemetry?.show(live)
    }

    func tick(_ live: LiveState, second: Int) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            switch form {
            case .nothing: break
            case .json: Terminal.print(ProgressJSON.progress(live))
            case .block:
                state.lines = LiveBlock.lines(
                    live, width: Terminal.progressWidth, color: Terminal.progressUsesColor)
                state.printer.draw(state.lines)
            case .lines where second.isMultiple(of: Self.printEvery):
                Terminal.complain(ProgressLine.text(live))
            case .lines: break
            }
        }
    }

    func say(_ sentence: String) {
        state.withLock { state in
            switch form {
            case .nothing: break
            case .json, .lines: Terminal.complain(sentence)
            case .block: state.printer.say(sentence, above: state.hasEnded ? [] : state.lines)
            }
        }
    }

    /// No more lines, and the block is gone.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.printer.clear()
        }
    }
}
