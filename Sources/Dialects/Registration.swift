internal import Formats
internal import Vocabulary

/// How an app registers and gets its access token (D1 and D2): the same in both editions of the protocol
/// (rest-v1.md § 5, rest-v2.md § 4).
enum Registration {
    /// D1.
    static func client(
        _ statement: Secret, at address: WebAddress, _ headers: Headers
    ) -> Call {
        let statement = statement.reveal()
        var body: [UInt8] = []
        body.reserveCapacity(statement.utf8.count + 32)
        body.append(contentsOf: "{\"software_statement\":".utf8)
        JSONText.appendQuoted(statement, to: &body)
        body.append(UInt8(ascii: "}"))
        var headers = headers
        headers.append("Content-Type", "application/json")
        return Call(.registerClient, .post, address, headers: headers, body: body)
    }

    /// D2.
    static func accessToken(
        _ client: ClientCredentials, at address: WebAddress, _ headers: Headers
    ) -> Call {
        var headers = headers
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        let body = FormEncoding.body([
            ("client_id", client.id), ("client_secret", client.secret.reveal()),
            ("grant_type", "client_credentials"),
        ])
        return Call(.accessToken, .post, address, headers: headers, body: body)
    }

    // MARK: Answers. `page` is where the page speaks of them: `rest-v1.md 5, D1`.

    static func client(_ tree: JSONDocument.Value, _ page: String) -> Reading {
        guard let id = tree["client_id"]?.text, let secret = tree["client_secret"]?.text else {
            return .incomplete("\(page): client_id and client_secret are strings")
        }
        let client = ClientCredentials(id: id, secret: Secret(secret))
        return Reading(.ok, .client(client), Observation(.success, record: id))
    }

    static func accessToken(_ tree: JSONDocument.Value, _ page: String) -> Reading {
        guard let bearer = tree["access_token"]?.text, !bearer.isEmpty else {
            return .incomplete("\(page): access_token is a string")
        }
        // rest-v1.md, A1, and rest-v2.md, B3: obey expires_in; without one, the documented 21600 s.
        var lifetime = Duration.seconds(21600)
        if let told = tree["expires_in"], told.kind != .null {
            guard let duration = told.seconds else {
                return .impossible("\(page): expires_in is a number of seconds from 0 to 10 years")
            }
            lifetime = duration
        }
        let token = AccessToken(bearer: Secret(bearer), lifetime: lifetime)
        return Reading(.ok, .accessToken(token), Observation(.success, secret: Secret(bearer)))
    }

    static let clientFields: [ConformanceField] = [
        .required("client_id", .text), .required("client_secret", .text),
        .required("client_id_issued_at", .number), .required("redirect_uris", .texts),
        .required("grant_types", .texts), .required("scopes", .texts),
    ]

    static let tokenFields: [ConformanceField] = [
        .required("id", .text), .required("access_token", .text),
        .required("created_at", .number), .required("expires_in", .number, .reading),
        .required("token_type", .word(["bearer", "Bearer"])),
    ]

    /// [old]
    static let olderTokenFields: [ConformanceField] = [
        .required("access_token", .text), .required("expires_in", .number, .reading),
    ]
}
