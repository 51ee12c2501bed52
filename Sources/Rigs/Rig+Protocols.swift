package import Dialects
internal import Vocabulary

/// What a rig asks of a protocol that has no such thing.
extension Rig {
    func checkProtocols(_ marks: Marks, _ reader: inout ValueReader) {
        let items = marks["kinds"].items
        for (position, kind) in kinds.enumerated() {
            let marks = items.indices.contains(position) ? items[position] : marks["kinds"]
            guard marks.isWhole else { continue }
            switch protocolName(of: kind) {
            case .adobePassV1: checkV1(kind, marks, &reader)
            case .adobePassV2: checkV2(kind, marks, &reader)
            }
        }
        checkSteps(marks["after-sign-in"], &reader)
        checkSecondProvider(marks, &reader)
        checkCode(marks, &reader)
    }

    package func protocolName(of kind: HouseholdKind) -> ProtocolName {
        (kind.application ?? target.application).protocolName
    }

    /// All households speak it.
    private func allSpeak(_ name: ProtocolName) -> Bool {
        kinds.allSatisfy { protocolName(of: $0) == name }
    }

    private func checkV1(_ kind: HouseholdKind, _ marks: Marks, _ reader: inout ValueReader) {
        if kind.singleSignOn != nil {
            reader.refuse(
                marks["single-sign-on"].place,
                "adobe-pass-v1 has no platform identity and no service token; write protocol: "
                    + "adobe-pass-v2, or remove single-sign-on")
        }
        if kind.pass?.isPromotional == true {
            reader.refuse(
                marks["temp-pass"]["promotional"].place,
                "adobe-pass-v1 has no promotional TempPass; write protocol: adobe-pass-v2, or "
                    + "remove promotional")
        }
    }

    private func checkV2(_ kind: HouseholdKind, _ marks: Marks, _ reader: inout ValueReader) {
        if kind.firstScreen.isSDK {
            reader.refuse(
                marks["first-screen"].place,
                "first-screen \(kind.firstScreen.rawValue) cannot speak adobe-pass-v2: the "
                    + "AccessEnabler SDKs speak the older protocol, and their support ended on "
                    + "2026-05-31; write first-screen: "
                    + (kind.firstScreen.hasWebView ? "ios" : "tvos")
                    + ", or protocol: adobe-pass-v1")
        }
        if kind.hasSecondViewer > 0, let platform = kind.platform, !platform.succeeds {
            reader.refuse(
                marks["second-viewer"].place,
                "under adobe-pass-v2 a platform that does not sign in answers with a new code, "
                    + "which ends the one that the second viewer types; remove second-viewer or "
                    + "platform-sign-on")
        }
    }

    /// Steps of `after-sign-in` that no household's protocol has: they are left out.
    private func checkSteps(_ marks: Marks, _ reader: inout ValueReader) {
        var told: Set<OperationName> = []
        for (activity, marks) in zip(afterSignIn, marks.items) {
            guard case .ask(let operation) = activity,
                !applications.contains(where: { $0.protocolName.operations.contains(operation) }),
                told.insert(operation).inserted
            else { continue }
            reader.warn(
                marks.place,
                "\(operation.name) is no step of \(protocolNames) and is left out: "
                    + Self.replacement(of: operation) + "; remove it")
        }
    }

    private static func replacement(of operation: OperationName) -> String {
        switch operation {
        case .preauthorizeCode: "the TV asks, by preauthorize"
        case _ where operation.needsAuthorization:
            "authorize brings the media token with the decision"
        default: "profiles carry the user's attributes"
        }
    }

    private func checkSecondProvider(_ marks: Marks, _ reader: inout ValueReader) {
        for (activity, marks) in zip(afterSignIn, marks["after-sign-in"].items) {
            guard case .secondProvider = activity else { continue }
            if !allSpeak(.adobePassV2) {
                reader.refuse(
                    marks.place,
                    "second-provider needs a protocol in which a device has several sign-ins; "
                        + "write protocol: adobe-pass-v2 for all kinds, or remove it")
            } else if target.mvpds.count == 1 {
                reader.refuse(
                    marks.place,
                    "second-provider needs two providers; add one to target.mvpds, or remove it")
            } else if accounts != .generated {
                reader.refuse(
                    marks.place,
                    "second-provider works with generated accounts only; remove accounts or "
                        + "second-provider")
            }
        }
    }

    private func checkCode(_ marks: Marks, _ reader: inout ValueReader) {
        guard allSpeak(.adobePassV2) else { return }
        let code = marks["code"]
        if code.gives("ttl") {
            reader.warn(
                code["ttl"].place,
                "adobe-pass-v2 lets no device ask for a lifetime of its code: ttl only says how "
                    + "long you expect it to live")
        }
        if code.gives("delete-after"), self.code.deletesAfter {
            reader.warn(
                code["delete-after"].place,
                "adobe-pass-v2 has no request that deletes a code; remove delete-after")
        }
        if marks["target"].gives("format"), target.format == .xml {
            reader.warn(
                marks["target"]["format"].place,
                "adobe-pass-v2 answers in JSON only; remove format")
        }
    }
}
