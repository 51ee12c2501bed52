public import Dialects

/// How one screen of a household writes its requests, as far as the rig says so; what is nil is as
/// screens of its sort do it.
public struct ScreenRequests: Sendable, Hashable {
    /// Sent as it is given.
    public var userAgent: String?
    public var headers: Headers = [:]
    public var format: FormatRequest?
    public var deviceInfo: RequestStyle.DeviceInfoPlace?
    public var codeRequest: RequestStyle.CodeRequest = .form
    public var parameters: Headers = [:]
    /// Whether it registers a client and shows an access token; nil: as its protocol has it.
    public var signs: Bool?

    /// A first screen as it is on the wire.
    var ofFirst: RequestStyle {
        let isUsual = self == ScreenRequests() || self == ScreenRequests(userAgent: userAgent)
        return isUsual ? .usual : style(signs: true, deviceInfo: .header)
    }

    /// A phone. Those of REST V1 are pages that register nothing (observed.md); REST V2 asks a token of
    /// every caller (rest-v2.md § 4).
    func ofSecond(in protocolName: ProtocolName) -> RequestStyle {
        switch protocolName {
        case .adobePassV1: style(signs: signs ?? false, deviceInfo: .none)
        case .adobePassV2, .oauthDeviceGrant: style(signs: signs ?? true, deviceInfo: .header)
        }
    }

    private func style(
        signs: Bool, deviceInfo usual: RequestStyle.DeviceInfoPlace
    ) -> RequestStyle {
        RequestStyle(
            signs: signs, format: format, deviceInfo: deviceInfo ?? usual,
            codeRequest: codeRequest, parameters: parameters, headers: headers)
    }
}

extension ScreenRequests: RigSection {
    static let blank = ScreenRequests()
    static let keys = ofFirstScreen

    static let ofFirstScreen: [Key<ScreenRequests>] =
        common(
            Key(
                "device-info", .words(), ifGiven: \.deviceInfo, example: "header",
                "Where X-Device-Info goes; adobe-pass-v1 only. parameter: device_info. none: it is "
                    + "not sent, as by most real clients, and the service reads User-Agent. Default: "
                    + "header.")) + [
            Key(
                "code-request", .words(), into: \.codeRequest,
                "Where the parameters of registration-code go; adobe-pass-v1 only. form: a form as "
                    + "the body. query: the query, with {} as the body."),
            Key(
                "parameters", .parameters, into: \.parameters, default: "{}",
                example: "{deviceType: tvOS, appId: demo-tv}", alternative: true,
                "More parameters wherever deviceId goes; registrationURL and appVersion with "
                    + "registration-code only; adobe-pass-v1 only."),
        ]

    static let ofSecondScreen: [Key<ScreenRequests>] =
        [
            Key(
                "auth", .words(("bearer", true), ("none", false)), ifGiven: \.signs,
                example: "none",
                "bearer: a phone registers a client and sends its access token. Default: none with "
                    + "adobe-pass-v1, whose second screens are web pages; bearer with "
                    + "adobe-pass-v2.")
        ]
        + common(
            Key(
                "device-info", .words(), ifGiven: \.deviceInfo, example: "none",
                "Where X-Device-Info goes; adobe-pass-v1 only. Default: none."))

    private static func common(_ deviceInfo: Key<ScreenRequests>) -> [Key<ScreenRequests>] {
        [
            Key(
                "user-agent", .scalar(.text), ifGiven: \.userAgent, example: "DemoTV/1.0",
                alternative: true,
                "User-Agent, as given here. Default: that of such a device, with screenrig's name "
                    + "at its end."),
            Key(
                "headers", .headers, into: \.headers, default: "{}",
                example: "{X-App-Version: \"7.2\"}", "Headers added to its requests."),
            Key(
                "format", .formatRequest, ifGiven: \.format, example: "suffix", alternative: true,
                "As target.format, for this screen. Default: target.format."),
            deviceInfo,
        ]
    }
}

/// What both sorts of screens of a kind send.
public struct KindRequests: Sendable, Hashable {
    public var first = ScreenRequests()
    public var second = ScreenRequests()
}

extension KindRequests: RigSection {
    static let blank = KindRequests()
    static let keys: [Key<KindRequests>] = [
        Key(
            "first-screen", section: \.first, keys: ScreenRequests.ofFirstScreen,
            "Requests of the first screen."),
        Key(
            "second-screen", section: \.second, keys: ScreenRequests.ofSecondScreen,
            "Requests of the phones."),
    ]

    /// Keys that say nothing where another protocol is spoken.
    func checkOthers(
        than protocolName: ProtocolName, _ marks: Marks, _ reader: inout ValueReader
    ) {
        for screen in ["first-screen", "second-screen"] {
            let marks = marks[screen]
            for key in ["format", "device-info", "code-request", "parameters"]
            where marks.gives(key) {
                reader.warn(
                    marks[key].place,
                    "\(key) has no effect on requests of \(protocolName.rawValue); remove it")
            }
        }
    }
}

extension FormatRequest: RigSection {
    static let blank = FormatRequest()
    static let keys: [Key<FormatRequest>] = [
        Key("as", .words(), into: \.document, "Requested response format."),
        Key(
            "by", .words(), into: \.means,
            "How it is requested. accept: Accept. parameter: format=json, in the form where there "
                + "is one. suffix: .json at the end of the path. none: not at all."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard means == .none else { return }
        if marks.gives("as"), document == .json {
            reader.refuse(
                marks["as"].place,
                "with by: none no format is requested, and the service answers in XML; remove as, or "
                    + "write by: accept")
        }
        document = .xml
    }
}

extension Syntax<FormatRequest> {
    /// A format, asked for by `Accept`; a way of asking for JSON; or both.
    static var formatRequest: Syntax {
        .either(
            .words(
                ("json", FormatRequest(.json)), ("xml", FormatRequest(.xml)),
                ("accept", FormatRequest(.json)),
                ("parameter", FormatRequest(.json, by: .parameter)),
                ("suffix", FormatRequest(.json, by: .suffix)),
                ("none", FormatRequest(.xml, by: .none))), .section)
    }
}

extension Syntax<Headers> {
    static var headers: Syntax {
        .from(.named(.scalar(.text))) { named in
            Headers(named.map { Headers.Field($0.name, $0.value) })
        }
    }

    /// Parameters that devices do not send anyway.
    static var parameters: Syntax {
        .from(.named(.scalar(.text))) { named, marks, reader in
            for (name, marks) in zip(named.map(\.name), marks.items) {
                guard let remedy = taken[name] else { continue }
                reader.refuse(
                    marks.namePlace ?? marks.place, "parameter '\(name)' is no extra: \(remedy)")
            }
            return Headers(named.map { Headers.Field($0.name, $0.value) })
        }
    }

    private static var taken: [String: String] {
        var remedies = [
            "ttl": "write code: {ttl: 30m}", "format": "write format: parameter",
            "device_info": "write device-info: parameter",
            "mvpd": "write provider-choice: first-screen",
        ]
        for name in [
            "requestor", "requestor_id", "deviceId", "resource", "reg_code", "mso_id",
            "domain_name", "redirect_url", "SAMLResponse", "access_token",
        ] { remedies[name] = "the device sends it by itself; remove it" }
        return remedies
    }
}
