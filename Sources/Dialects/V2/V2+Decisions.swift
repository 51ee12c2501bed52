internal import Formats

/// What decisions mean (rest-v2.md § 7): denials come with HTTP 200, item by item.
extension V2 {
    /// Z1. What is left out is no denial (§ 18); what is marked for another try is no decision.
    func readPreauthorization(_ tree: JSONDocument.Value, to call: Call) -> Reading {
        guard let list = tree["decisions"], list.kind == .array else {
            return .incomplete("REST V2, Z1: decisions is a list")
        }
        var decisions: [String: Bool] = [:]
        var source: String?
        var errors: [ServiceError] = []
        let items = list.items
        for item in items {
            guard let resource = item["resource"]?.text else {
                return .incomplete("REST V2, Z1: every decision has a resource")
            }
            let isPermitted = item["authorized"]?.isTrue ?? false
            if isPermitted { source = source ?? item["source"]?.text }
            if !isPermitted, let told = item["error"] {
                let error = ServiceError(told, status: 200)
                errors.append(error)
                if error.remedy == .retry { continue }
            }
            decisions[resource] = isPermitted
        }
        // The whole call turned down in the form of its items (B2).
        if !errors.isEmpty, errors.count == items.count,
            let whole = errors.first, errors.allSatisfy({ $0.remedy == whole.remedy }),
            whole.remedy == .signIn || whole.remedy == .retry
        {
            return readRefusal(whole, to: call)
        }
        // There is never one (§ 7); where there is, the judge is told.
        let token = items.lazy.compactMap { $0["token"]?["serializedToken"]?.text }.first
        return Reading(
            .ok, .decisions(decisions),
            Observation(.success, record: source, secret: token.map { Secret($0) }))
    }

    /// Z2: the decision about the resource that was asked for. Its record is who decided.
    func readAuthorization(_ tree: JSONDocument.Value, to call: Call) -> Reading {
        guard let list = tree["decisions"], list.kind == .array else {
            return .incomplete("REST V2, Z2: decisions is a list")
        }
        let asked = call.resource ?? ""
        let items = list.items
        func item(_ fits: (String) -> Bool) -> JSONDocument.Value? {
            items.first { $0["resource"]?.text.map(fits) ?? false }
        }
        let found =
            item { $0 == asked } ?? item { Resource.isSame($0, as: asked) }
            ?? (items.count == 1 ? items[0] : nil)
        // § 18: what no provider gates is left out.
        guard let decision = found else { return Reading(.ok, .done) }
        guard decision["authorized"]?.isTrue ?? false else {
            return readDenial(decision, to: call)
        }
        return readPermit(decision)
    }

    private func readPermit(_ decision: JSONDocument.Value) -> Reading {
        guard let token = decision["token"], token.kind == .object else {
            return .incomplete("REST V2, Z2: token is present with a permit")
        }
        if let impossible = token.impossibleInstant(of: Self.times, "REST V2, Z2, token") {
            return impossible
        }
        guard let text = token["serializedToken"]?.text, !text.isEmpty,
            let end = token["notAfter"]?.epoch
        else {
            return .incomplete("REST V2, Z2: serializedToken and notAfter are present")
        }
        return Reading(
            .ok, .media(Secret(text)),
            Observation(
                .success, resource: decision["resource"]?.text,
                generated: token["notBefore"]?.epoch, expires: end,
                record: decision["source"]?.text, secret: Secret(text)))
    }

    private func readDenial(_ decision: JSONDocument.Value, to call: Call) -> Reading {
        guard let told = decision["error"], told.kind == .object else {
            let words: Untrusted = "not authorized"
            return Reading(
                .notEntitled, .notEntitled(words),
                Observation(.denied, record: decision["source"]?.text), reason: words)
        }
        var reading = readRefusal(ServiceError(told, status: 200), to: call)
        reading.observation.resource = decision["resource"]?.text
        reading.observation.record = decision["source"]?.text
        return reading
    }
}
