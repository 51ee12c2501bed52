internal import Formats
internal import Journal
internal import Rendering
internal import Rigs
internal import Statistics

/// A part of the load as the rig wrote it, for the charts over time.
public struct LoadStage: Sendable, Hashable {
    /// `to 20/s`, `hold 20/s`, `settle`.
    public var name: String
    /// Seconds since the run began.
    public var from: Double
    public var through: Double

    /// Those of a rig, in their order; one stage where households do not come by a plan of time.
    static func stages(of load: Load, after preparation: Duration = .zero) -> [LoadStage] {
        var stages: [LoadStage] = []
        var at = 0.0
        func add(_ name: String, lasting seconds: Double) {
            if seconds > 0 {
                stages.append(LoadStage(name: name, from: at, through: at + seconds))
            }
            at += seconds
        }
        add("before the load", lasting: preparation.seconds)
        switch load {
        case .open(let arrivals):
            var rate = 0.0
            for stage in arrivals.stages {
                switch stage {
                case .ramp(let to, let time):
                    add("to \(DecimalText.trimmed(to.perSecond))/s", lasting: time.seconds)
                    rate = to.perSecond
                case .hold(let time):
                    add("hold \(DecimalText.trimmed(rate))/s", lasting: time.seconds)
                }
            }
        case .closed(let households, let time, _):
            add("\(Figures.count(households)) at a time", lasting: time.seconds)
        case .once: break
        }
        return stages
    }

    /// Read again from the rig in a header; none where it cannot be read any more.
    static func stages(of header: HistoryHeader) -> [LoadStage] {
        guard let rig = rig(of: header) else { return [] }
        return stages(of: rig.load, after: rig.preparation)
    }

    /// The second in which the load begins; 0 where the rig cannot be read any more.
    static func preparation(of rig: Rig?) -> Int {
        Int((rig?.preparation ?? .zero).seconds)
    }

    /// Nil where it cannot be read any more. Of what other files say there is nothing in it. A trial keeps the rig
    /// as it is written, and has played one household of it.
    static func rig(of header: HistoryHeader) -> Rig? {
        let rig = try? Rig.read(header.rigSource, file: header.rigName, with: .recorded).rig
        guard let rig, rig.load.description != header.load,
            let trial = rig.trial(of: header.kinds.first), trial.load.description == header.load
        else { return rig }
        return trial
    }
}
