internal import Dialects
internal import Journal
internal import Statistics

/// The faults that are switched on, and what they remember. The service asks it at three points:
/// before a request is answered, after, and when something that was scheduled is due.
struct Faults: Sendable {
    private var injectors: [(name: String, injector: any FaultInjector)]
    /// What is so far known to have been shown of each device's sign-in.
    private var exposure = TokenExposure()
    /// Whose each device is.
    private var households: [DeviceKey: Int] = [:]
    private var activations = 0
    private var truth: [TruthEvent] = []
    /// For how long codes are kept beyond their expiry, in milliseconds: for faults that accept them.
    let retention: Int64

    /// Nil when none of them does anything.
    init?(_ faults: [Fault], seed: Seed) {
        injectors = faults.enumerated().compactMap { index, fault in
            let chance = Chance(fault, seed: seed.child("fault", index))
            return fault.kind.injector.init(fault, chance).map { (fault.kind.name, $0) }
        }
        guard !injectors.isEmpty else { return nil }
        retention = injectors.map(\.injector.retention).max() ?? 0
    }

    mutating func takeTruth() -> [TruthEvent] {
        defer { truth = [] }
        return truth
    }

    /// A request, on its way through the faults and the service.
    mutating func answer(_ request: ServiceRequest, by service: inout Service, at moment: Moment)
        -> [Effect]
    {
        var request = request
        begin(request.drawKey)
        for index in injectors.indices { injectors[index].injector.rewrite(&request) }
        let asked = Service.question(request).context(in: service, at: moment)
        if asked.isByDevice, let owner = asked.device?.owner, let household = asked.household {
            households[owner] = household
        }
        var context = FaultContext(
            moment: moment, shownAt: asked.device.flatMap { exposure[$0] }, households: households,
            activations: activations)
        for index in injectors.indices {
            context.fault = (index, injectors[index].name)
            injectors[index].injector.before(asked, &service, &context)
        }
        let (issued, made) = (service.codes.issued, service.tokens.made)
        if !context.isHeld, context.reply == nil, !context.isReset {
            context.reply = asked.question.answer(by: &service, at: context.moment)
        }
        if service.codes.issued > issued, let code = service.codes.latest {
            context.issued = service.codes[code]
        }
        if service.tokens.made > made { context.signedIn = asked.device }
        context.restore(in: &service)
        if var reply = context.reply {
            for index in injectors.indices {
                context.fault = (index, injectors[index].name)
                injectors[index].injector.after(asked, &reply, &service, &context)
            }
            context.reply = reply
            exposure.note(asked, reply, context)
        }
        settle(context)
        if context.isReset { return context.effects + [.reset(request.id)] }
        guard let reply = context.reply, !context.isHeld else { return context.effects }
        return [.reply(reply, to: request.id, after: context.delay)] + context.effects
    }

    /// Something that a fault had scheduled.
    mutating func run(_ deed: FaultDeed, on service: inout Service, at moment: Moment) -> [Effect] {
        begin(service.ids.key)
        var context = FaultContext(
            moment: moment, shownAt: nil, households: households, activations: activations)
        context.fault = (deed.fault, injectors[deed.fault].name)
        context.exposure = exposure
        injectors[deed.fault].injector.run(ticket: deed.ticket, &service, &context)
        if let device = context.signedIn { exposure.forget(device) }
        settle(context)
        return context.effects
    }

    private mutating func begin(_ key: DrawKey?) {
        guard let key else { return }
        for index in injectors.indices { injectors[index].injector.chance.begin(key) }
    }

    private mutating func settle(_ context: FaultContext) {
        activations = context.activations
        truth += context.truth
    }
}
