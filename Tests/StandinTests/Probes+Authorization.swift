import Dialects
import Testing
import Vocabulary

// What a signed-in device may do, and how it ends.

extension Probes {
    static var decisions: [Probe<A>] {
        func decide(
            _ status: Int, _ label: String, _ query: String, signedIn: Bool = true
        ) -> [Probe<A>] {
            [
                Probe("Z1", .preauthorize, status, label) { world in
                    let device = signedIn ? world.signedIn().device : world.issued().device
                    return world.ask(.get, "/api/v1/preauthorize", "\(key(device))\(query)")
                },
                Probe("Z2", .preauthorizeCode, status, label) { world in
                    let code = signedIn ? world.signedIn().code : world.issued().code
                    return world.ask(
                        .get, "/api/v1/preauthorize/\(code)", "requestor=DEMOTV\(query)",
                        info: false)
                },
            ]
        }
        return decide(200, "a list", "&resource=a,deny-b,silent-c")
            + decide(400, "nothing to decide", "")
            + decide(400, "a broken fragment", "&resource=%3Citem%3E")
            + decide(403, "more than five (A15)", "&resource=a,b,c,d,e,f")
            + decide(412, "nobody", "&resource=a", signedIn: false)
            + [
                Probe("Z1", .preauthorize, 412, "expired") {
                    let device = $0.signedIn("DemoGone").device
                    return $0.ask(.get, "/api/v1/preauthorize", "\(key(device))&resource=a")
                }
            ]
    }

    static var authorizations: [Probe<A>] {
        func play(
            _ page: String, _ operation: OperationName, _ path: String, _ status: Int,
            _ label: String, resource: String? = "demo-1",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            Probe(page, operation, status, label) { world in
                let more = resource.map { "&resource=\($0)" } ?? ""
                let id = device(&world)
                return world.ask(.get, path, "\(key(id))\(more)")
            }
        }
        func authorize(
            _ status: Int, _ label: String, resource: String? = "demo-1",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            play(
                "Z3", .authorize, "/api/v1/authorize", status, label, resource: resource,
                device)
        }
        func read(
            _ status: Int, _ label: String, resource: String? = "demo-1",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            play(
                "Z4", .authorizationToken, "/api/v1/tokens/authz", status, label,
                resource: resource, device)
        }
        func media(
            _ status: Int, _ label: String, resource: String? = "demo-1",
            path: String = "/api/v1/tokens/media",
            _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            play("Z5", .mediaToken, path, status, label, resource: resource, device)
        }
        func metadata(
            _ status: Int, _ label: String, _ device: @escaping (inout World<A>) -> String
        ) -> Probe<A> {
            asked(
                "U1", .userMetadata, "/api/v1/tokens/usermetadata", status, label, device)
        }
        return [
            authorize(200, "signed in") { $0.signedIn().device },
            authorize(200, "through an aggregator") { $0.signedIn("DemoLocal").device },
            authorize(403, "denied", resource: "deny-1") { $0.signedIn().device },
            authorize(403, "nobody (A16)") { $0.device() },
            authorize(403, "expired (A16)") { $0.signedIn("DemoGone").device },
            authorize(400, "no resource", resource: nil) { $0.signedIn().device },
            authorize(400, "a broken fragment", resource: "%3Citem") { $0.signedIn().device },
            read(200, "authorized") { $0.authorized() },
            read(404, "not authorized") { $0.signedIn().device },
            read(410, "over") { $0.authorized("DemoBrief") },
            read(412, "nobody") { $0.device() },
            read(412, "expired") { $0.signedIn("DemoGone").device },
            read(400, "no resource", resource: nil) { $0.authorized() },
            media(200, "authorized") { $0.authorized() },
            media(200, "the other path", path: "/api/v1/mediatoken") { $0.authorized() },
            media(403, "not authorized") { $0.signedIn().device },
            media(403, "nobody") { $0.device() },
            media(403, "over") { $0.authorized("DemoBrief") },
            media(400, "no resource", resource: nil) { $0.authorized() },
            metadata(200, "signed in") { $0.signedIn().device },
            metadata(200, "encrypted") { $0.signedIn("DemoLocal").device },
            metadata(404, "a provider that tells nothing") { $0.signedIn("DemoMute").device },
            metadata(412, "nobody") { _ in "none" },
        ]
    }

    static var ends: [Probe<A>] {
        func leave(
            _ status: Int, _ label: String, _ query: String
        ) -> Probe<A> {
            Probe("L2", .logout, status, label) {
                let device = $0.signedIn().device
                return $0.ask(
                    .get, "/api/v1/logout", query.replacing("DEVICE", with: device), auth: false,
                    info: false)
            }
        }
        let back = "&redirect_url=https%3A%2F%2Fdemo.test%2Fdone"
        return [
            Probe("L1", .logout, 204, "signed in") {
                let device = $0.signedIn().device
                return $0.ask(.delete, "/api/v1/logout", key(device))
            },
            Probe("L1", .logout, 204, "nobody") {
                $0.ask(.delete, "/api/v1/logout", key("none"))
            },
            Probe("L1", .logout, 400, "no device") {
                $0.ask(.delete, "/api/v1/logout", "requestor=DEMOTV")
            },
            leave(302, "signed in", key("DEVICE") + back),
            leave(302, "nobody", key("none") + back),
            leave(400, "nowhere to go", key("DEVICE")),
            leave(400, "no device", "requestor=DEMOTV" + back),
        ]
    }
}
