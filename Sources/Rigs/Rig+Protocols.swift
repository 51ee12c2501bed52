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
            case .oauthDeviceGrant: checkDeviceGrant(kind, marks, &reader)
            }
        }
        checkSteps(marks["after-sign-in"], &reader)
        checkSecondProvider(marks, &reader)
        checkCode(marks, &reader)
        checkTarget(marks["target"], &reader)
    }

    package func protocolName(of kind: HouseholdKind) -> ProtocolName {
        (kind.application ?? target.application).protocolName
    }

    /// All households speak it.
    private func allSpeak(_ name: ProtocolName) -> Bool {
        kinds.allSatisfy { protocolName(of: $0) == name }
    }

    /// A provider's page turns a viewer down; nobody asks the viewer whether a device may be let in.
    private func checkRefusals(
        _ kind: HouseholdKind, _ marks: Marks, _ reader: inout ValueReader
    ) {
        guard kind.viewer.refuses > 0 else { return }
        reader.refuse(
            marks["viewer"]["refuses"].place,
            "\(protocolName(of: kind).rawValue) asks nobody whether a device may be let in; write "
                + "cancels, or protocol: oauth-device-grant")
    }

    private func checkV1(_ kind: HouseholdKind, _ marks: Marks, _ reader: inout ValueReader) {
        checkRefusals(kind, marks, &reader)
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
        checkRefusals(kind, marks, &reader)
        kind.requests.checkOthers(than: .adobePassV2, marks["requests"], &reader)
        if kind.firstScreen.isSDK {
            reader.refuse(
                marks["first-screen"].place,
                "first-screen \(kind.firstScreen.rawValue) cannot speak adobe-pass-v2: the "
                    + "AccessEnabler SDKs speak the older protocol, and their support ended on "
                    + "2026-05-31; write first-screen: "
                    + (kind.firstScreen.hasWebView ? "ios" : "tvos")
                    + ", or protocol: adobe-pass-v1")
        }
    }

    private func checkDeviceGrant(
        _ kind: HouseholdKind, _ marks: Marks, _ reader: inout ValueReader
    ) {
        kind.requests.checkOthers(than: .oauthDeviceGrant, marks["requests"], &reader)
        if kind.requests.second.signs == true {
            reader.warn(
                marks["requests"]["second-screen"]["auth"].place,
                "phones of oauth-device-grant register nothing; remove auth")
        }
        if kind.firstScreen.isSDK || kind.firstScreen.hasWebView {
            reader.refuse(
                marks["first-screen"].place,
                "first-screen \(kind.firstScreen.rawValue) signs in on the device, and "
                    + "oauth-device-grant on another one; write first-screen: tvos, or another that "
                    + "shows a code")
        }
        let unknown: [(String, Bool)] = [
            ("platform-sign-on", kind.platform != nil), ("temp-pass", kind.hasTempPass),
            ("single-sign-on", kind.singleSignOn != nil),
        ]
        for (key, isGiven) in unknown where isGiven {
            reader.refuse(
                marks[key].place, "oauth-device-grant has no \(key); remove it")
        }
        if kind.viewer.refuses > 0, !target.deviceGrant.canRefuse {
            reader.refuse(
                marks["viewer"]["refuses"].place,
                "target.device-grant.phone has no request that refuses; add one with 'for: refuse', "
                    + "or remove refuses")
        }
        // The page of a server is entered once, and knows no providers.
        let habits: [(String, Double)] = [
            ("small-letters", kind.viewer.typesSmall), ("types-twice", kind.viewer.typesTwice),
            ("changes-provider", kind.viewer.changesProvider),
        ]
        for (key, share) in habits where share > 0 {
            reader.refuse(
                marks["viewer"][key].place,
                "viewers of oauth-device-grant do not do that; remove \(key)")
        }
    }

    /// What of the target belongs to one protocol alone.
    private func checkTarget(_ marks: Marks, _ reader: inout ValueReader) {
        let speaks = protocols.contains(.oauthDeviceGrant)
        if marks.gives("device-grant"), !speaks {
            reader.warn(
                marks["device-grant"].place,
                "device-grant has no effect without protocol: oauth-device-grant")
        }
        guard allSpeak(.oauthDeviceGrant) else { return }
        for key in [
            "requestor", "domain", "redirect-url", "mvpds", "software-statement", "clients",
        ]
        where marks.gives(key) {
            reader.warn(
                marks[key].place,
                "oauth-device-grant has no \(key); what the app is registered as stands under "
                    + "device-grant; remove it")
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
        case .refreshToken, .userinfo: "it is one of oauth-device-grant"
        case .preauthorizeCode: "the TV asks, by preauthorize"
        case _ where operation.needsAuthorization:
            "authorize brings the media token with the decision"
        default: "profiles carry the user's attributes"
        }
    }

    private func checkSecondProvider(_ marks: Marks, _ reader: inout ValueReader) {
        for (activity, marks) in zip(afterSignIn, marks["after-sign-in"].items) {
            if case .plays = activity, protocols.contains(.oauthDeviceGrant) {
                reader.refuse(
                    marks.place,
                    "plays needs authorizations, and oauth-device-grant has none; use watch and "
                        + "refresh-token instead")
            }
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
        if marks["target"].gives("format"), target.format != FormatRequest() {
            reader.warn(
                marks["target"]["format"].place,
                "adobe-pass-v2 answers in JSON only; remove format")
        }
    }
}
