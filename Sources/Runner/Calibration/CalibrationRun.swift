package import Calibration
internal import Checker
package import Dialects
internal import Dispatch
internal import Foundation
internal import Journal
internal import Lanes
package import Reports
internal import Rigs
internal import Statistics
package import Vocabulary
package import Wire

/// One calibration, from its terms to its report.
package struct CalibrationRun {
    package struct CalibrationSettings {
        /// Nil: a service of our own.
        var target: WebAddress?
        var connections: Int
        var pace: Pace
        var lasting: Duration
        var keeping: Keeping
        var lanes: Int
        var sharing: TransportOptions.Connections
        var sources: SourceAddresses?
        var ca: String?
        var allowed: [String]
        /// Nil: the usual one off loopback, none on it.
        var maxRate: Double?

        package init(
            target: WebAddress?, connections: Int, pace: Pace, lasting: Duration,
            keeping: Keeping, lanes: Int, sharing: TransportOptions.Connections,
            sources: SourceAddresses?, ca: String?, allowed: [String], maxRate: Double?
        ) {
            self.target = target
            self.connections = connections
            self.pace = pace
            self.lasting = lasting
            self.keeping = keeping
            self.lanes = lanes
            self.sharing = sharing
            self.sources = sources
            self.ca = ca
            self.allowed = allowed
            self.maxRate = maxRate
        }
    }

    private let terms: CalibrationSettings
    private let service: LoopbackService?
    private let call: Call
    private let permission: Permission
    /// The target is this machine: nobody else is burdened.
    private let isNear: Bool

    /// Raises the limit of descriptors, and refuses what it does not allow.
    package init(_ terms: CalibrationSettings) throws {
        self.terms = terms
        let descriptors = WireLimits.raiseDescriptorLimit().soft
        let ends = terms.target == nil ? 2 : 1
        if terms.sharing == .perDevice, terms.connections * ends + 64 > descriptors {
            throw RunError.couldNotRun(
                "\(terms.connections) connections need \(terms.connections * ends + 64) file "
                    + "descriptors, and this process may open \(descriptors); raise 'ulimit -Hn', "
                    + (ends == 2
                        ? "measure a service in another process with --target (half the "
                            + "descriptors), " : "")
                    + "or share connections with --pooled")
        }
        if let target = terms.target {
            service = nil
            call = Call(.checkAuthentication, .get, target)
        } else {
            do { service = try LoopbackService() } catch {
                throw RunError.couldNotRun("\(error)")
            }
            let origin = Origin(scheme: .http, host: "127.0.0.1", port: service?.port)
            call = Call(.checkAuthentication, .get, WebAddress(origin: origin, target: "/poll"))
        }
        permission = Permission(
            allowedByCommand: terms.allowed.map { $0.lowercased() },
            named: [call.address.origin.host])
        isNear = try Self.isNear(call.address.origin, permission)
    }

    package func report() async throws -> CalibrationReport {
        defer { service?.stop() }
        let record = try TemporaryHistory(terms.keeping, lanes: terms.lanes)
        defer { record.remove() }
        let lanes = try lanes(recordingTo: record.sink)
        var findings = await load(lanes)
        // What is still to be written and judged has its price as well.
        let loaded = Processor.seconds(less: service)
        let drainTime = ContinuousClock().measure { record.drain() }
        record.finish()
        let processor = findings.processor + Processor.seconds(less: service) - loaded
        // Nobody else's service is asked so often in a row; new connections are no gate, silence neither.
        let measuresGate = isNear && terms.sharing != .fresh && findings.answered > 0
        let gate = measuresGate ? await gate(lanes[0]) : nil
        if terms.sharing == .pooled {
            findings.connections = lanes.reduce(0) { $0 + $1.transport.openConnections }
        }
        guard findings.answered > 0 else {
            let trouble = findings.trouble ?? "nothing was sent"
            throw RunError.couldNotRun(
                trouble.hasPrefix("status ")
                    ? "every response was an error: \(trouble); --target must name a page that answers a GET with a status below 400"
                    : "no request was answered: \(trouble)")
        }
        let ended = Double(findings.answered + findings.errors)
        return CalibrationReport(
            target: terms.target.map { "\($0)" } ?? "a built-in service",
            requestsPerSecond: findings.perSecond,
            cpuMicrosecondsPerRequest: processor * 1e6 / ended,
            latency: findings.latency, service: findings.service, lateness: findings.lateness,
            connections: findings.connections, errors: findings.errors,
            drainTime: terms.keeping == .all ? drainTime : nil,
            peakMemoryMB: MemoryUse.peakMB, gateSpread: gate ?? Histogram(),
            trouble: findings.trouble)
    }

    // MARK: Lanes

    /// A lane with its transport. Safe because both are used on the lane's queue, one stretch after
    /// the other.
    private struct Track: @unchecked Sendable {
        var lane: Lane
        var transport: CurlTransport
    }

    private func lanes(recordingTo sink: any HistorySink) throws -> [Track] {
        let settings = WireSettings(
            connections: terms.sharing, sources: terms.sources,
            tls: TransportOptions.TLS(ca: terms.ca), permission: permission)
        let ceilings = RateLimits(
            perSecond: terms.maxRate ?? (isNear ? nil : TargetLimits.usualRate.perSecond),
            connections: isNear ? nil : .usual
        ).part(of: terms.lanes)
        let exchangeBuilder = ExchangeBuilder(
            run: "calibrate", fingerprinter: Fingerprinter(key: 1))
        let start = LiveLoop.monotonic()
        do {
            return try (0..<terms.lanes).map { index in
                let loop = try LiveLoop(origin: start)
                let lane = Lane(
                    index: index, loop: loop, exchangeBuilder: exchangeBuilder, sink: sink)
                let transport = try CurlTransport(lane: lane, loop: loop, settings: settings)
                lane.use(transport)
                lane.hold(to: ceilings)
                return Track(lane: lane, transport: transport)
            }
        } catch {
            throw RunError.couldNotRun("\(error)")
        }
    }

    /// Whether the target is this machine; throws when it may not be sent to.
    private static func isNear(_ origin: Origin, _ permission: Permission) throws -> Bool {
        let addresses: [IPAddress]
        do throws(Resolver.Failure) {
            addresses = try Resolver.resolve(origin.host)
        } catch {
            throw RunError.couldNotRun(
                "\(origin.host) has no address (\(error)); correct --target")
        }
        if let refusal = permission.refusal(of: origin.host, at: addresses) {
            throw RunError.couldNotRun(refusal.detail)
        }
        return addresses.allSatisfy(\.isLoopback)
    }

    private func load(_ tracks: [Track]) async -> LoadFindings {
        let plain = PlainLoad.LoadSettings(
            call: call, callers: terms.connections, pace: terms.pace, lasting: terms.lasting,
            keeping: terms.keeping, isHeldBack: !isNear || terms.maxRate != nil,
            processor: { [service] in Processor.seconds(less: service) })
        let loads = tracks.enumerated().map { position, track in
            PlainLoad(
                plain, on: track.lane, over: track.transport, part: position, of: tracks.count)
        }
        let breaks = !isNear
        await Self.run(tracks) { position in
            let lane = tracks[position].lane
            if breaks {
                // It looks from the lane itself, whatever the lane's time is.
                VirtualBreaker(Breaker(above: 0.5, for: .seconds(10)), on: lane) { _ in
                    lane.stop(at: lane.now)
                }.begin()
            }
            loads[position].begin()
            lane.run { loads[position].isOver }
        }
        return loads.dropFirst().reduce(into: loads[0].findings) { $0.merge($1.findings) }
    }

    private func gate(_ track: Track) async -> Histogram {
        let gate = GateSpread(call, pairs: 2_000, on: track.lane, over: track.transport)
        await Self.run([track]) { _ in
            gate.begin()
            track.lane.run { gate.isOver }
        }
        return gate.spread
    }

    /// Lanes block their threads: each has a queue of its own.
    private static func run(
        _ tracks: [Track], _ work: @escaping @Sendable (Int) -> Void
    ) async {
        await withCheckedContinuation { done in
            let group = DispatchGroup()
            for position in tracks.indices {
                DispatchQueue(label: "screenrig.lane.\(position)", qos: .userInteractive)
                    .async(group: group) { work(position) }
            }
            group.notify(queue: .global()) { done.resume() }
        }
    }
}

/// The record of a calibration that keeps `all`: written and judged as in a run, and thrown away. What
/// the judge finds is of no interest, for a plain GET signs nobody in; what it costs is.
struct TemporaryHistory {
    let sink: any HistorySink
    private let writer: HistoryWriter?
    private let judge: JudgeQueue?
    private let folder: URL?

    init(_ keeping: Keeping, lanes: Int) throws {
        guard keeping == .all else {
            (sink, writer, judge, folder) = (Unrecorded(), nil, nil, nil)
            return
        }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-calibrate-\(UUID().uuidString)")
        let header = HistoryHeader(
            run: "calibrate", rigName: "calibrate", rigSource: "", seed: 1,
            startedMicroseconds: WallClock.microseconds, target: "", protocolName: "plain",
            version: Release.version, isVirtual: false, lanes: lanes, kinds: ["connection"],
            plannedHouseholds: nil, load: "", thresholds: [], validLatenessNanoseconds: 0,
            validBusy: 1, breachFails: false)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            let writer = try HistoryWriter(
                path: folder.appending(path: "history.sqlite").path, header: header)
            let judge = JudgeQueue(Self.rules, lanes: lanes, before: writer, waits: false)
            (sink, self.writer, self.judge, self.folder) = (judge, writer, judge, folder)
        } catch {
            throw RunError.couldNotRun("\(error)")
        }
    }

    /// By which an answer of 200 is a device that was signed in before: nothing to object to.
    private static var rules: Rules {
        var rules = Rules()
        rules.devicesAreFresh = false
        rules.knowsUsers = false
        return rules
    }

    /// Waits until everything that was handed over is judged and written.
    func drain() {
        _ = judge?.finish()
        writer?.drain()
    }

    /// After `drain`: what a file has at its end.
    func finish() {
        _ = writer?.finish(
            HistoryEnd(
                ended: .start, interrupted: false, failure: "", cpuPercent: 0, historyHash: ""))
    }

    func remove() {
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }
}

/// The processor time of this process.
enum Processor {
    /// Without that of a service in the same process.
    static func seconds(less service: LoopbackService?) -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 - (service?.processor ?? 0)
    }
}

/// The memory of this process and of this machine, by the kernel's account.
package enum MemoryUse {
    /// The most that this process has had resident, in MB.
    static var peakMB: Double {
        kilobytes("VmHWM", in: "/proc/self/status").map { Double($0) / 1024 } ?? 0
    }

    /// What this machine could give away without swapping, in MB; nil when it does not say.
    package static var availableMB: Int? {
        kilobytes("MemAvailable", in: "/proc/meminfo").map { $0 / 1024 }
    }

    private static func kilobytes(_ key: String, in file: String) -> Int? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }
}
