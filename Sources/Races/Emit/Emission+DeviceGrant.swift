internal import Dialects
internal import Formats
internal import Vocabulary

/// Scripts of the OAuth device grant: they walk the server's pages, so that no request is written down.
extension Emission {
    /// Promises that such a script can check. Of `linearizable` that is one contradiction: two people are told
    /// that they have approved one code.
    private var grantPromises: Set<Invariant> {
        let approvals = emitted.schedule.ops.filter { $0.step == .approval }
        let people = Set(
            approvals.map { op in op.args.first { $0.name == "account" }?.value ?? "1" })
        return people.count > 1 ? Self.grantPromises.union([.linearizable]) : Self.grantPromises
    }

    private static let grantPromises: Set<Invariant> = [
        .deviceCodeOnce, .refreshTokenOnce, .oneDecision, .refusalDelivered, .signInVisible,
        .signInDelivered, .decisionFinal, .tokenIsolation, .noTokenBeforeSignIn, .oneOwner,
        .oneToken, .logoutFinal, .expiryRespected, .clientBound,
    ]

    func grantPython() throws(EmitError) -> String {
        let invariant = emitted.expected.invariant
        let known = grantPromises
        guard known.contains(invariant) else {
            throw .unknownPromise(invariant.name, known: known.sorted().map(\.name))
        }
        return Script.grant([
            "NAME": Self.comment(emitted.name),
            "SENTENCE": Self.comment(emitted.expected.sentence),
            "VERSION": Self.comment(emitted.version),
            "BASE": Self.comment(target.base),
            "CASE": Self.literal(caseDocument(in: .oauthDeviceGrant).text(.page)),
            "TARGET": Self.literal(grantTarget.text(.page)),
        ])
    }

    private var grantTarget: JSON {
        let terms = target.deviceGrant
        func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }
        func texts(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }
        let phone = terms.phone.map { call in
            JSON.array([
                .string(call.purpose.rawValue), .string(call.method.rawValue), .string(call.path),
                text(call.body),
            ])
        }
        let isGiven = terms.deviceAuthorization != nil && terms.token != nil
        let metadata = terms.metadata(hasAddresses: isGiven).map(\.rawValue)
        return .members([
            ("base", .string(target.base)), ("client", .string(terms.client)),
            ("otherClient", text(terms.otherClient)),
            ("scope", .string(terms.scope)), ("metadata", texts(metadata)),
            ("authentication", .string(terms.authentication.rawValue)),
            (
                "endpoints",
                .members([
                    ("codes", text(terms.deviceAuthorization)), ("token", text(terms.token)),
                    ("revocation", text(terms.revocation ?? (isGiven ? "" : nil))),
                    ("userinfo", text(terms.userinfo ?? (isGiven ? "" : nil))),
                ])
            ), ("userFrom", .string(terms.userSource.rawValue)), ("claim", .string(terms.claim)),
            ("approve", text(terms.approveButton)), ("refuse", text(terms.refuseButton)),
            ("approvedWhen", texts(terms.approvedWhen)),
            ("refusedWhen", texts(terms.refusedWhen)), ("phone", .array(phone)),
        ])
    }
}
