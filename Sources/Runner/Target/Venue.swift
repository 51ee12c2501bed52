package import Devices
package import Dialects
internal import Foundation
package import Journal
package import Lanes
package import Rigs
internal import Signing
package import Standin
package import Statistics
internal import Vocabulary
internal import Wire

/// What a run plays on: the target, embedded or not, the clock, and the lanes with their transports.
package struct Venue {
    /// Where the target is.
    package let origin: Origin
    /// Before each path.
    private let prefix: String
    package let targetName: String
    package let laneCount: Int
    package let isVirtual: Bool
    /// The service is a stand-in that this run has started for itself.
    package let isEmbedded: Bool
    /// The target is on this machine: nobody else is burdened by the load.
    package let isNear: Bool
    /// Tells what is played here from every other run: identities and correlation derive from it.
    package let run: RunID
    /// Which part of the plan is played here; nil: all of it.
    package let shard: ShardTerms?
    private let rig: Rig
    private let wire: WireSettings
    private let listener: Listener?
    /// What the stand-in's faults did.
    private let truth: TruthLog

    /// 2026-01-01T00:00:00Z: the day on which every simulated run begins.
    package static let virtualEpoch: Int64 = 1_767_225_600_000_000

    /// Starts the embedded stand-in, or checks that the target may be sent to; without `asksLeave`
    /// the first exchange is left to find out.
    package init(
        _ rig: Rig, isVirtual: Bool, allowed: [String], asksLeave: Bool = true,
        as shard: ShardTerms? = nil
    ) async throws(RunError) {
        if isVirtual {
            self.init(virtual: rig, as: shard)
            return
        }
        let wire = Assembly.wire(rig, allowedByCommand: allowed)
        switch rig.target.base {
        case .remote(let remote, let path):
            let addresses = Self.addresses(of: remote.host, wire)
            if asksLeave { try Self.checkPermission(remote, addresses, wire) }
            self.init(
                rig, wire, origin: remote, prefix: path, shard: shard,
                isNear: (try? addresses.get())?.allSatisfy(\.isLoopback) ?? false,
                name: "\(remote)\(path)")
        case .embedded:
            let truth = TruthLog()
            let listener = try await Self.startStandin(rig, truth)
            let origin = Origin(scheme: .http, host: "127.0.0.1", port: listener.port)
            self.init(
                rig, wire, origin: origin, shard: shard, isNear: true, name: "embedded (\(origin))",
                listener: listener, truth: truth)
        }
    }

    /// In virtual time, on a stand-in in this process.
    package init(virtual rig: Rig, as shard: ShardTerms? = nil) {
        self.init(
            rig, Assembly.wire(rig, allowedByCommand: []),
            origin: Origin(scheme: .http, host: "127.0.0.1", port: 80), shard: shard, isNear: true,
            name: "embedded (in process)", isVirtual: true)
    }

    private init(
        _ rig: Rig, _ wire: WireSettings, origin: Origin, prefix: String = "",
        shard: ShardTerms?, isNear: Bool, name: String, isVirtual: Bool = false,
        listener: Listener? = nil,
        truth: TruthLog = TruthLog()
    ) {
        (self.rig, self.wire, self.origin, self.isNear) = (rig, wire, origin, isNear)
        (self.isVirtual, self.listener, self.truth) = (isVirtual, listener, truth)
        self.shard = shard
        run = shard?.run ?? (isVirtual ? RunID(of: rig.seed) : .random())
        isEmbedded = isVirtual || listener != nil
        let faults =
            rig.faults.isEmpty ? "" : ", faults: " + rig.faults.map(\.text).joined(separator: " ")
        targetName = name + faults
        self.prefix = prefix
        let cores = ProcessInfo.processInfo.activeProcessorCount
        laneCount = isVirtual ? 1 : rig.lanes ?? max(1, cores - (isEmbedded ? 1 : 0))
    }

    /// What an application speaks here.
    package func dialect(of application: Application) -> any Dialect {
        application.protocolName.dialect(
            at: origin, prefix: prefix, requestor: application.requestor,
            domain: rig.target.domain, redirectURL: rig.target.redirectURL,
            format: rig.target.format, deviceGrant: rig.target.deviceGrant)
    }

    private static func startStandin(
        _ rig: Rig, _ truth: TruthLog
    ) async throws(RunError) -> Listener {
        var settings = Assembly.service(rig)
        settings.platformKey = try Assembly.platformKey(rig)
        let service = Service(
            settings, faults: try Assembly.faults(rig),
            seed: rig.seed.child("standin"),
            epochMilliseconds: WallClock.microseconds / 1000)
        do {
            return try await Listener.start(
                service, host: "127.0.0.1", port: 0, tls: nil, truth: { truth.append($0) })
        } catch {
            throw RunError.couldNotRun("the embedded stand-in cannot start: \(error)")
        }
    }

    /// Before anything is sent: the target itself must be allowed, and have an address, unless a proxy
    /// looks that up.
    private static func checkPermission(
        _ origin: Origin, _ addresses: Result<[IPAddress], Resolver.Failure>,
        _ wire: WireSettings
    ) throws(RunError) {
        var problem: String?
        do throws(Resolver.Failure) {
            let refusal =
                if let proxy = wire.proxy(for: origin) {
                    wire.permission.refusal(
                        of: origin.host, through: proxy.name,
                        proxyIsLoopback: IPAddress(proxy.host)?.isLoopback
                            ?? (proxy.host == "localhost"))
                } else {
                    wire.permission.refusal(of: origin.host, at: try addresses.get())
                }
            if let refusal { problem = refusal.detail }
        } catch {
            problem =
                "\(origin.host) has no address (\(error)); correct target.base or --target, or pin the "
                + "name with target.resolve"
        }
        if let problem { throw .couldNotRun(problem) }
    }

    /// Those that the rig pins, or those of the system.
    private static func addresses(
        of host: String, _ wire: WireSettings
    ) -> Result<[IPAddress], Resolver.Failure> {
        if let pinned = wire.pinned.first(where: { $0.host == host }) {
            return .success(pinned.addresses)
        }
        do throws(Resolver.Failure) { return .success(try Resolver.resolve(host)) } catch {
            return .failure(error)
        }
    }

    /// A single lane, live, for what comes before a run.
    package func lane(of purpose: String) throws(RunError) -> Lane {
        let exchangeBuilder = exchangeBuilder(
            of: purpose, Fingerprinter(key: .random(in: .min ... .max)))
        return try lane(0, exchangeBuilder, Unrecorded(), rates, from: LiveLoop.monotonic())
    }

    /// What this process may do: its part of what the run may.
    private var rates: RateLimits {
        rig.target.courtesy.rates(onLoopback: isNear).part(of: shard?.shard.count ?? 1)
    }

    private func exchangeBuilder(
        of run: String, _ fingerprinter: Fingerprinter
    ) -> ExchangeBuilder {
        ExchangeBuilder(
            headers: rig.target.headers, correlates: rig.target.correlates,
            run: run, fingerprinter: fingerprinter, secrets: secrets)
    }

    /// Under virtual time the salt comes from the seed, so that histories repeat. Shards of one run must have one
    /// salt, so that the judge knows a token of one of them again in another: it comes from the run's id and from
    /// what only the rig's owner knows (docs/scale.md).
    private var fingerprinter: Fingerprinter {
        if isVirtual { return Fingerprinter(key: rig.seed.child("fingerprints").value) }
        guard shard != nil else { return Fingerprinter(key: .random(in: .min ... .max)) }
        var bytes = Array("screenrig fingerprints\n\(run)\n".utf8)
        for secret in rig.secrets {
            let text = Array(secret.reveal().utf8)
            bytes += Array("\(text.count):".utf8) + text
        }
        let digest = SHA256.digest(bytes)
        func word(_ from: Int) -> UInt64 {
            digest[from..<from + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return Fingerprinter(low: word(0), high: word(8))
    }

    /// What the rig holds and a service or proxy may repeat: all that its keys name, and passwords, which
    /// others than their owners may be told; of long files everybody's own is looked for.
    private var secrets: KnownSecrets {
        var secrets = KnownSecrets()
        for secret in rig.secrets + wire.proxy.secrets { secrets.note(secret) }
        guard case .listed(let list) = rig.accounts, list.entries.count <= 200 else {
            return secrets
        }
        for entry in list.entries { secrets.note(entry.account.password) }
        return secrets
    }

    /// The lanes, each with its transport, on one clock that starts now. `virtual`: how many there are
    /// in virtual time, each with a clock and a service of its own; those of a `convoy` stay together.
    package func lanes(
        recordingTo sink: any HistorySink, virtual: Int = 1, convoy: Convoy? = nil,
        through: (InProcess) -> any Transport = { $0 }
    ) throws(RunError) -> [Lane] {
        try lanes(
            recordingTo: sink, virtual: virtual, convoy: convoy, through: through, start: nil)
    }

    /// `start`: when their clocks begin; nil: now.
    func lanes(
        recordingTo sink: any HistorySink, virtual: Int, convoy: Convoy?,
        through: (InProcess) -> any Transport, start: RunStart?
    ) throws(RunError) -> [Lane] {
        let fingerprinter = fingerprinter
        let ceilings = rates.part(of: laneCount)
        if isVirtual {
            let begins = Instant.start + (shard?.rest?.begins ?? .zero)
            return try (0..<virtual).map { index throws(RunError) in
                let loop = VirtualLoop(at: begins, index, of: convoy)
                let lane = try virtualLane(
                    index, loop, exchangeBuilder(of: run.description, fingerprinter), sink, through)
                lane.hold(to: ceilings)
                return lane
            }
        }
        let origin = start?.origin ?? LiveLoop.monotonic()
        return try (0..<laneCount).map { index throws(RunError) in
            try lane(
                index, exchangeBuilder(of: run.description, fingerprinter), sink, ceilings,
                from: origin, at: start?.from ?? .start)
        }
    }

    private func lane(
        _ index: Int, _ exchangeBuilder: ExchangeBuilder, _ sink: any HistorySink,
        _ ceilings: RateLimits, from start: Int64, at begins: Instant = .start
    ) throws(RunError) -> Lane {
        do {
            let loop = try LiveLoop(origin: start, isPrecise: rig.isPrecise)
            let lane = Lane(index: index, loop: loop, exchangeBuilder: exchangeBuilder, sink: sink)
            lane.use(try CurlTransport(lane: lane, loop: loop, settings: wire))
            if begins > .start { lane.begin(at: begins) }
            lane.hold(to: ceilings)
            return lane
        } catch {
            throw RunError.couldNotRun("\(error)")
        }
    }

    private func virtualLane(
        _ index: Int, _ loop: VirtualLoop, _ exchangeBuilder: ExchangeBuilder,
        _ sink: any HistorySink, _ through: (InProcess) -> any Transport
    ) throws(RunError) -> Lane {
        let lane = Lane(index: index, loop: loop, exchangeBuilder: exchangeBuilder, sink: sink)
        if loop.now > .start { lane.begin(at: loop.now) }
        var settings = Assembly.service(rig)
        settings.platformKey = try Assembly.platformKey(rig)
        settings.signsAccess = false
        // Of one seed on all lanes: what it draws hangs on the household.
        let service = Service(
            settings, faults: try Assembly.faults(rig), seed: rig.seed.child("standin"),
            epochMilliseconds: Self.virtualEpoch / 1000)
        let truth = truth
        lane.use(
            through(
                InProcess(
                    lane: lane, service: service,
                    network: Network(latency: rig.standin.latency, loss: rig.standin.loss),
                    seed: rig.seed.child("network"), timeout: rig.target.timeout,
                    truth: { truth.append($0, lane: index) })))
        return lane
    }

    /// What households of `rig` are run with here (`statement`: nil for the demo one), but for what a run adds of its own: accounts and
    /// programs in virtual time are the built-in ones.
    package func configuration(
        of rig: Rig, statement: Secret? = nil
    ) throws(RunError) -> RunConfiguration {
        var configuration = RunConfiguration(
            rig, statement: statement ?? Secret(Signing.demoSoftwareStatement()),
            dialect: dialect(of:))
        configuration.platforms = try Assembly.platforms(
            rig, program: isVirtual ? nil : { ProgramProcess(path: $0, limit: $1) })
        configuration.identities = Assembly.identities(
            at: isVirtual ? Self.virtualEpoch : WallClock.microseconds)
        return configuration
    }

    /// `staging load → https://auth.staging.example`.
    package var title: String { "\(rig.name) → \(targetName)" }

    /// What the stand-in's faults have done so far.
    package var truths: [TruthEvent] { isVirtual ? truth.joined : truth.events }

    /// Closes the venue.
    package func shutdown() async {
        await listener?.stop()
    }
}
