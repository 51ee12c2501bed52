internal import Dialects

/// What happens outside the protocol and shows within it, as `POST /_standin/…` with a JSON object:
/// a provider ends a session, an application is withdrawn, a trial is given back, a programmer's
/// server verifies a media token.
extension Service {
    mutating func control(_ path: String, _ body: JSONValue?, at moment: Moment) -> Reply {
        func text(_ name: String) -> String? { body?[name]?.string }
        switch path {
        case "/_standin/invalidate":
            guard let requestor = text("requestor"), let device = text("deviceId") else {
                return Reply(status: 400)
            }
            let keys = tokens.keys(requestor: requestor, device: device).filter { key in
                key.client.isEmpty
                    ? key == DeviceKey(requestor: requestor, device: device)
                    : text("mvpd").map { key.mvpd == $0 } ?? true
            }
            for key in keys { _ = tokens.invalidate(key) }
            return Reply(status: keys.isEmpty ? 404 : 204)
        case "/_standin/reset-pass":
            guard let device = text("deviceId") else { return Reply(status: 400) }
            return Reply(status: passes.reset(device: device) > 0 ? 204 : 404)
        case "/_standin/forget-client":
            guard let client = text("client_id") else { return Reply(status: 400) }
            return Reply(status: clients.forget(client) ? 204 : 404)
        case "/_standin/revoke-software":
            guard let software = text("software_id") else { return Reply(status: 400) }
            statements.revoke(software)
            return Reply(status: 204)
        case "/_standin/degrade":
            return Reply(status: degrade(body, at: moment) ? 204 : 400)
        case "/_standin/verify-media":
            guard let token = text("serializedToken") else { return Reply(status: 400) }
            return verifyMedia(token, at: moment)
        default: return Reply(status: 404)
        }
    }

    /// 200 with what it permits; 403 when it is forged, 410 when it is over, 409 the second time.
    private mutating func verifyMedia(_ token: String, at moment: Moment) -> Reply {
        guard let claims = media.verified(token) else { return Reply(status: 403) }
        guard moment.milliseconds < claims.expires else { return Reply(status: 410) }
        guard spentMedia.spend(claims) else { return Reply(status: 409) }
        let body = DocumentWriter.json {
            $0.text("resource", claims.resource)
            $0.text("session", claims.session)
            $0.number("expires", claims.expires)
        }
        return Reply(
            status: 200, headers: ["Content-Type": Spelling.json.contentType], body: body)
    }

    /// `until` and `from` in epoch milliseconds; an end that has passed lifts the rule.
    private mutating func degrade(_ body: JSONValue?, at moment: Moment) -> Bool {
        guard let mvpd = body?["mvpd"]?.string, settings.provider(mvpd) != nil,
            let rule = body?["rule"]?.string.flatMap(Degradations.Rule.init),
            let until = body?["until"]?.number, until >= 0, until <= 1e14
        else { return false }
        let from = body?["from"]?.number ?? Double(moment.milliseconds)
        guard from >= 0, from <= 1e14 else { return false }
        degradations.add(
            .init(
                requestor: body?["requestor"]?.string, mvpd: mvpd, rule: rule, from: Int64(from),
                until: Int64(until), message: body?["message"]?.string), at: moment.milliseconds)
        return true
    }
}
