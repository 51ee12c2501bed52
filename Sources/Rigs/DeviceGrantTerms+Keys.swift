internal import Dialects

extension DeviceGrantTerms: RigSection {
    static let blank = DeviceGrantTerms()
    static let keys: [Key<DeviceGrantTerms>] = [
        Key(
            "preset", .words(), set: { (terms, preset: Preset) in terms = preset.terms },
            default: "standard",
            "Settings of a known server, of which the other keys change one each. standard: what the "
                + "RFC says, with discovery."),
        Key(
            "client", .scalar(.shownText), into: \.client, "client_id of the device's app."),
        Key(
            "secret", .scalar(.secret), ifGiven: \.secret, example: "${CLIENT_SECRET}",
            alternative: true, "client_secret of a confidential client. Default: a public client."),
        Key(
            "authentication", .words(), into: \.authentication,
            "How a confidential client shows its secret (RFC 6749, 2.3.1)."),
        Key(
            "other-client", .scalar(.shownText), ifGiven: \.otherClient, example: "tv-2",
            alternative: true,
            "client_id of a second app on the server. Races then show it what was issued to the "
                + "first: client-bound."),
        Key(
            "other-secret", .scalar(.secret), ifGiven: \.otherSecret,
            example: "${OTHER_CLIENT_SECRET}", alternative: true,
            "Its client_secret. Default: a public client."),
        Key(
            "scope", .scalar(.shownText), set: { $0.scope = $1 }, example: "openid profile",
            alternative: true, "Scopes that the device asks for, separated by spaces."),
        Key(
            "discovery", .words(), into: \.discovery,
            "Which metadata tell the addresses of the server: oauth (RFC 8414), openid (OpenID Connect "
                + "Discovery), none. auto: none where device-authorization and token are given, else "
                + "oauth and then openid."),
        Key(
            "device-authorization", .scalar(.text), ifGiven: \.deviceAuthorization,
            example: "/oauth/device_authorization", alternative: true,
            "Path or URL of the request for codes."),
        Key(
            "token", .scalar(.text), ifGiven: \.token, example: "/oauth/token", alternative: true,
            "Path or URL of the polls and of the refresh."),
        Key(
            "revocation", .scalar(.text), ifGiven: \.revocation, example: "/oauth/revoke",
            alternative: true, "Path or URL at which a TV gives its token back (RFC 7009)."),
        Key(
            "userinfo", .scalar(.text), ifGiven: \.userinfo, example: "/oauth/userinfo",
            alternative: true, "Path or URL that tells whose token it is asked with."),
        Key(
            "user-from", .words(), into: \.userSource,
            "What tells whose token a TV got: the claims of the id-token or of the access-token, the "
                + "userinfo endpoint, or none."),
        Key(
            "claim", .scalar(.shownText), into: \.claim, "The claim that names the user."),
        Key(
            "opens", .words(), into: \.opens,
            "Where the phone begins. typed: verification_uri, and the viewer types the code. complete: "
                + "verification_uri_complete, as from a QR code."),
        Key(
            "approve-button", .scalar(.shownText), ifGiven: \.approveButton,
            example: "action=accept", alternative: true,
            "Button that approves, or radio button to choose, as NAME=VALUE. Default: a button found by its "
                + "name."),
        Key(
            "refuse-button", .scalar(.shownText), ifGiven: \.refuseButton,
            example: "action=deny", alternative: true,
            "The same of a refusal."),
        Key(
            "approved-when", .list(.scalar(.shownText)), into: \.approvedWhen, default: "[]",
            example: "[Device authorized]", alternative: true,
            "Texts, of which one is in the page after an approval, or in the address that its redirect "
                + "leads to. Without any, no approval counts as confirmed."),
        Key(
            "refused-when", .list(.scalar(.shownText)), into: \.refusedWhen, default: "[]",
            example: "[Device denied]", alternative: true, "The same of a refusal."),
        Key(
            "phone", .list(.section), into: \.phone, default: "[]",
            example:
                "[{for: approve, method: POST, path: /device, json: \"{}\", failed-when: [error]}]",
            alternative: true,
            "Requests of a phone that walks no pages, in order, for servers whose pages are programs "
                + "over JSON calls."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole else { return }
        let hasBoth = deviceAuthorization != nil && token != nil
        if discovery == .none, !hasBoth {
            reader.refuse(
                marks.place,
                "without discovery the device does not know where to ask; give both "
                    + "device-authorization and token, or write discovery: auto")
        }
        if (deviceAuthorization != nil) != (token != nil) {
            reader.refuse(
                marks[token == nil ? "device-authorization" : "token"].place,
                "device-authorization and token belong together; give both, or leave both to "
                    + "discovery")
        }
        if otherClient == client {
            reader.refuse(
                marks["other-client"].place,
                "other-client is the same as 'client'; give the client_id of another app, or remove it"
            )
        }
        if otherSecret != nil, otherClient == nil {
            reader.refuse(
                marks["other-secret"].place,
                "other-secret is the secret of other-client; add 'other-client', or remove it")
        }
        if secret == nil, otherSecret == nil, marks.gives("authentication") {
            reader.refuse(
                marks["authentication"].place,
                "authentication is of a client with a secret; add 'secret', or remove it")
        }
        for name in ["approve-button", "refuse-button"] where marks.gives(name) {
            let text = name == "approve-button" ? approveButton : refuseButton
            if let text, !text.contains("=") {
                reader.refuse(
                    marks[name].place, "a button is written as NAME=VALUE, such as action=accept")
            }
        }
        if !phone.isEmpty, !phone.contains(where: { $0.purpose == .approve }) {
            reader.refuse(
                marks["phone"].place,
                "phone has no request that approves; add one with 'for: approve'")
        }
    }
}

extension DeviceGrantTerms.PhoneCall: RigSection {
    static let blank = DeviceGrantTerms.PhoneCall(.login, .get, "")
    static let keys: [Key<DeviceGrantTerms.PhoneCall>] = [
        Key(
            "for", .words(), into: \.purpose, required: true, example: "approve",
            "What the request is for: login, code (the entry of the code), approve, refuse."),
        Key(
            "method",
            .words(
                ("GET", Method.get), ("POST", .post), ("PUT", .put), ("DELETE", .delete)),
            into: \.method, "Its method."),
        Key(
            "path", .scalar(.shownText), into: \.path, required: true,
            example: "\"/device?code={code}\"",
            "Its path behind the base; {user}, {password}, {code}, {client} and {scope} are filled "
                + "in."),
        Key(
            "json", .scalar(.text), ifGiven: \.body,
            example: "'{\"username\": \"{user}\", \"password\": \"{password}\"}'",
            alternative: true, "Its body, filled in likewise."),
        Key(
            "failed-when", .list(.scalar(.shownText)), into: \.failedWhen, default: "[]",
            example: "[error]", alternative: true,
            "Texts of its answer, or of the address that its redirect leads to, that mean no."),
    ]
}
