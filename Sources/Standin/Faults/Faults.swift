internal import Dialects
internal import Journal
internal import Statistics

/// The faults that are switched on, and what they remember. The service asks it at three points:
/// before a request is answered, after, and when something that was put off is due.
struct Faults: Sendable {
    private var injectors: [any FaultInjector]
    /// What is so far known to have been shown of each device's sign-in.
    private var exposure = TokenExposure()
    private var strikes = 0
    private(set) var truth: [TruthEvent] = []
    /// For how long codes are kept beyond their expiry, in milliseconds: for faults that accept them.
    let retention: Int64

    /// Nil when none of them does anything.
    init?(_ faults: [Fault], seed: Seed) {
        injectors = faults.enumerated().compactMap { index, fault in
            fault.name.injector(fault, Chance(fault, seed: seed.child("fault", index)))
        }
        guard !injectors.isEmpty else { return nil }
        retention = injectors.map(\.retention).max() ?? 0
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
        for index in injectors.indices { injectors[index].rewrite(&request) }
        let visit = RequestContext(V1Question(request), service, at: moment)
        var course = course(at: moment, told: visit.device.flatMap { exposure[$0] })
        for index in injectors.indices {
            course.fault = index
            injectors[index].before(visit, &service, &course)
        }
        let made = service.tokens.made
        if !course.isHeld, course.reply == nil, !course.isReset {
            course.reply = service.answerV1(visit.question, at: course.moment)
        }
        if service.tokens.made > made { course.signedIn = visit.device }
        course.putBack(in: &service)
        if var reply = course.reply {
            for index in injectors.indices {
                course.fault = index
                injectors[index].after(visit, &reply, &service, &course)
            }
            course.reply = reply
            exposure.note(visit, reply, course)
        }
        settle(course)
        if course.isReset { return course.effects + [.reset(request.id)] }
        guard let reply = course.reply, !course.isHeld else { return course.effects }
        return [.reply(reply, to: request.id, after: course.delay)] + course.effects
    }

    /// Something that a fault had put off.
    mutating func act(_ deed: FaultDeed, on service: inout Service, at moment: Moment) -> [Effect] {
        var course = course(at: moment, told: nil)
        course.fault = deed.fault
        course.exposure = exposure
        injectors[deed.fault].act(deed.ticket, &service, &course)
        if let device = course.signedIn { exposure.forget(device) }
        settle(course)
        return course.effects
    }

    private func course(at moment: Moment, told: TokenExposure.Shown?) -> FaultContext {
        FaultContext(moment: moment, told: told, strikes: strikes)
    }

    private mutating func settle(_ course: FaultContext) {
        strikes = course.strikes
        truth += course.truth
    }
}
