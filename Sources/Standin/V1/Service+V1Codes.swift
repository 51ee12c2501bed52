internal import Dialects
internal import Formats
internal import Journal
internal import Signing

/// The registration code service and the configuration (rest-v1.md §§ 6, 7).
extension Service {
    /// R1.
    mutating func issueCode(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        let requestor = try requestor(question.route.name)
        let device = try question.required("deviceId")
        let userAgent = question.request.headers["User-Agent"] ?? ""
        let info = try deviceInfo(question) ?? DeviceInfos.derived(userAgent: userAgent)
        let ttl = try lifetime(question)
        let mvpd = question["mvpd"]
        if let mvpd, settings.provider(mvpd, of: requestor) == nil {
            throw .unknownIntegration(mvpd)
        }
        var registrant = Registrant(
            deviceInfo: info, userAgent: userAgent,
            registrationURL: question["registrationURL"] ?? settings.registrationURL,
            deviceType: question["deviceType"] ?? "", appVersion: question["appVersion"] ?? "")
        if let bearer = question.bearer,
            case .good(let software) = clients.standing(of: bearer, at: moment.milliseconds)
        {
            registrant.software = software
        }
        let record = codes.issue(
            for: DeviceKey(
                requestor: requestor.id, device: device, user: question["deviceUser"] ?? "",
                app: question["appId"] ?? ""),
            mvpd: mvpd, at: moment.milliseconds, ttl: ttl, registrant: registrant,
            // § 6.2: many devices share the literal `dummy`.
            supersedes: device != "dummy" && settings.policies.newCode == .replace, ids: &ids)
        counters.codesIssued += 1
        return show(record, status: 201, question, at: moment)
    }

    /// `ttl` in seconds, as milliseconds.
    private func lifetime(_ question: V1Question) throws(ClassicError) -> Int64 {
        guard let text = question["ttl"] else { return settings.codeTTL.wholeMilliseconds }
        let longest = settings.longestCodeTTL.wholeMilliseconds / 1000
        guard let seconds = Int64(text), (1...longest).contains(seconds) else {
            throw ClassicError(400, "Invalid 'ttl': it must be 1 to \(longest) seconds")
        }
        return seconds * 1000
    }

    /// R2.
    mutating func showRecord(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        show(try record(question, at: moment), status: 200, question, at: moment)
    }

    /// R3.
    mutating func deleteRecord(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        codes.delete(try record(question, at: moment).key)
        return empty(204, at: moment)
    }

    /// Unknown, expired, deleted, or another requestor's: 404.
    private func record(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> CodeRecord {
        guard let key = CodeKey(question.route.code),
            let record = codes.live(key, of: question.route.name, at: moment.milliseconds)
        else { throw .noRecord }
        return record
    }

    private mutating func show(
        _ record: CodeRecord, status: Int, _ question: V1Question, at moment: Moment
    ) -> Reply {
        let document: Document
        switch question.format {
        case .json: document = Self.json(record)
        case .xml: document = Self.xml(record)
        }
        return reply(
            status, document,
            root: #"ns2:regcode xmlns:ns2="model.mvc.reggie.pass.adobe.com""#, question, at: moment)
    }

    /// JSON and XML differ in more than spelling: JSON has no deprecated members and leaves `mvpd`
    /// out (A27), XML has all of them.
    private static func json(_ record: CodeRecord) -> Document {
        let registrant = record.registrant
        var members: [(String, Document)] = [
            ("id", .text(record.id)), ("code", .text(record.text)),
            ("requestor", .text(record.device.requestor)),
        ]
        if let mvpd = record.mvpd { members.append(("mvpd", .text(mvpd))) }
        members.append(("generated", .number(record.generated)))
        members.append(("expires", .number(record.expires)))
        var info: [(String, Document)] = [
            ("deviceId", .text(Base64.encode(record.device.device.utf8))),
            ("deviceInfo", .text(registrant.deviceInfo)),
            ("userAgent", .text(registrant.userAgent)),
            ("originalUserAgent", .text(registrant.userAgent)),
            ("authorizationType", .text("OAUTH2")),
        ]
        if let software = registrant.software {
            let application = Document.object([
                ("id", .text(software.id)), ("name", .text(software.name)),
                ("version", .text(software.version)),
            ])
            info.append(("sourceApplicationInformation", application))
        }
        if let url = registrant.registrationURL { info.append(("registrationURL", .text(url))) }
        members.append(("info", .object(info)))
        return .object(members)
    }

    private static func xml(_ record: CodeRecord) -> Document {
        let registrant = record.registrant
        var info: [(String, Document)] = [
            ("deviceId", .text(Base64.encode(record.device.device.utf8))),
            ("deviceType", .text(registrant.deviceType)),
            ("deviceUser", .text(record.device.user)), ("appId", .text(record.device.app)),
            ("appVersion", .text(registrant.appVersion)),
        ]
        if let url = registrant.registrationURL { info.append(("registrationURL", .text(url))) }
        return .object([
            ("id", .text(record.id)), ("code", .text(record.text)),
            ("requestor", .text(record.device.requestor)), ("mvpd", .text(record.mvpd ?? "")),
            ("generated", .number(record.generated)), ("expires", .number(record.expires)),
            ("info", .object(info)),
        ])
    }

    /// C1.
    mutating func configuration(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard let requestor = settings.requestor(question.route.name) else { throw .noRecord }
        let providers = settings.providers.filter {
            (requestor.providers?.contains($0.id) ?? true) && $0.isIntegrated(at: moment.now)
        }
        let mvpds = providers.map { Self.configured($0, at: moment.now) }
        let domains = requestor.domains.map {
            Document.object([("name", .text($0)), ("mvpdInitiated", .flag(false))])
        }
        let body = Document.object([
            ("id", .text(requestor.id)), ("name", .text(requestor.name)),
            ("domains", .list(domains, item: "domain")), ("mvpds", .list(mvpds, item: "mvpd")),
        ])
        let document = Document.object([
            ("requestor", body), ("device", .text(question["deviceType"] ?? "unknown")),
            ("clientType", .text("clientless")), ("os", .text("unknown")),
            ("time", .text(UTCTime(milliseconds: moment.milliseconds).rfc3339)),
        ])
        return reply(200, document, root: "config", question, at: moment)
    }

    /// One `mvpd` (§ 7): what is false is left out, and the platform's properties with it.
    private static func configured(
        _ provider: ServiceSettings.Provider, at now: Instant
    ) -> Document {
        var members: [(String, Document)] = [
            ("id", .text(provider.id)), ("displayName", .text(provider.displayName)),
            ("logoUrl", .text("https://logos.demo.test/\(Percent.encode(provider.id)).png")),
            ("authPerAggregator", .flag(true)),
        ]
        if provider.isTempPass { members.append(("isTempPass", .flag(true))) }
        if provider.proxy != nil { members.append(("isProxy", .flag(true))) }
        guard let platform = provider.platform else { return .object(members) }
        members += [
            ("enablePlatformServices", .flag(platform.isEnabled(at: now))),
            ("boardingStatus", .text(platform.boarding.rawValue)),
            ("displayInPlatformPicker", .flag(platform.isListed)),
            ("platformMappingId", .text(platform.mappingID)),
            (
                "requiredMetadataFields",
                .list(platform.requiredMetadata.map(Document.text), item: nil)
            ),
        ]
        return .object(members)
    }
}
