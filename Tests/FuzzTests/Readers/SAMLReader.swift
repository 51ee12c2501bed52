import Dialects
import Formats
import Journal
import Signing
import Statistics

@testable import Standin

extension Reader {
    /// Input: an `AuthnRequest`, as the POST binding brings it and, deflated, as the redirect binding does.
    static let saml = Reader("saml", limit: 4_096) { bytes in
        guard var provider else { return "there is no provider" }
        if let text = Deflate.inflate(bytes, atMost: 10_000), text.count > 10_000 {
            return "\(text.count) bytes are more than the limit"
        }
        let encoded = Base64.encode(bytes)
        let post = reply(
            &provider, .post, "/saml/sso",
            Array("SAMLRequest=\(PercentEncoding.encode(encoded))&RelayState=r".utf8))
        let get = reply(
            &provider, .get, "/saml/sso?SAMLRequest=\(PercentEncoding.encode(encoded))", [])
        for reply in [post, get] where ![200, 400].contains(reply.status) {
            return "status \(reply.status)"
        }
        guard post.status == 200 else { return nil }
        // Signed in, its answer goes to an address of http or https, as it stands in the request.
        let page = String(decoding: post.body, as: UTF8.self)
        guard let flow = page.firstMatch(of: /name="flow" value="(\w+)"/) else { return nil }
        let signedIn = reply(
            &provider, .post, "/login",
            Array("flow=\(flow.1)&username=viewer-1&password=pw-1".utf8))
        let form = String(decoding: signedIn.body, as: UTF8.self)
        guard let action = form.firstMatch(of: /<form action="([^"]*)"/) else {
            return "no form"
        }
        let address = Markup.unescape(String(action.1))
        return WebAddress(address) == nil ? "an answer to '\(address)'" : nil
    }

    private static let provider: IdentityProvider? = {
        guard let signer = try? SigningPair.make(days: 1) else { return nil }
        return try? IdentityProvider(ProviderSettings(signer: signer), seed: Seed(1))
    }()

    private static func reply(
        _ provider: inout IdentityProvider, _ method: Method, _ target: String, _ body: [UInt8]
    ) -> Reply {
        let request = ServiceRequest(
            id: RequestID(1), method: method, target: target,
            headers: [
                "Host": "idp.test", "Content-Type": "application/x-www-form-urlencoded",
            ], body: body, peer: "127.0.0.1")
        let moment = Moment(now: .start, milliseconds: 1_800_000_000_000)
        guard case .reply(let reply, _, _)? = provider.on(request, at: moment).first else {
            return Reply(status: 0)
        }
        return reply
    }
}
