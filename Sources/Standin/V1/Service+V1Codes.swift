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
        let registrant = Registrant(
            deviceInfo: info, userAgent: userAgent,
            registrationURL: question["registrationURL"] ?? settings.registrationURL,
            deviceType: question["deviceType"] ?? "", appVersion: question["appVersion"] ?? "",
            software: question.bearer.flatMap {
                clients.software(of: $0, at: moment.milliseconds)
            })
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
        reply(
            status, root: #"ns2:regcode xmlns:ns2="model.mvc.reggie.pass.adobe.com""#, question,
            at: moment
        ) { Self.write(record, to: &$0) }
    }

    /// JSON and XML differ in more than spelling: JSON leaves `mvpd` out (A27), and of the deprecated members
    /// those that were not sent (observed.md); XML has all of them.
    private static func write(_ record: CodeRecord, to document: inout DocumentWriter) {
        document.text("id", record.id)
        document.text("code", record.text)
        document.text("requestor", record.device.requestor)
        if let mvpd = record.mvpd ?? (document.spelling == .xml ? "" : nil) {
            document.text("mvpd", mvpd)
        }
        document.number("generated", record.generated)
        document.number("expires", record.expires)
        document.object("info") { info in
            info.text("deviceId", Base64.encode(record.device.device.utf8))
            let isJSON = info.spelling == .json
            if isJSON { write(record.registrant, to: &info) }
            for (name, value) in [
                ("deviceType", record.registrant.deviceType), ("deviceUser", record.device.user),
                ("appId", record.device.app), ("appVersion", record.registrant.appVersion),
            ] where !isJSON || !value.isEmpty {
                info.text(name, value)
            }
            if let url = record.registrant.registrationURL { info.text("registrationURL", url) }
        }
    }

    private static func write(_ registrant: Registrant, to info: inout DocumentWriter) {
        info.text("deviceInfo", registrant.deviceInfo)
        info.text("userAgent", registrant.userAgent)
        info.text("originalUserAgent", registrant.userAgent)
        info.text("authorizationType", "OAUTH2")
        guard let software = registrant.software else { return }
        info.object("sourceApplicationInformation") {
            $0.text("id", software.id)
            $0.text("name", software.name)
            $0.text("version", software.version)
        }
    }

    /// C1.
    mutating func configuration(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        guard let requestor = settings.requestor(question.route.name) else { throw .noRecord }
        let providers = settings.providers.filter {
            (requestor.providers?.contains($0.id) ?? true) && $0.isIntegrated(at: moment.now)
        }
        return reply(200, root: "config", question, at: moment) { document in
            requestor.write(offering: providers, to: &document) { item, provider in
                Self.write(provider, at: moment.now, to: &item)
            }
            document.text("device", question["deviceType"] ?? "unknown")
            document.text("clientType", "clientless")
            document.text("os", "unknown")
            document.text("time", UTCTime(milliseconds: moment.milliseconds).rfc3339)
        }
    }

    /// One `mvpd` (§ 7): what is false is left out, and the platform's properties with it.
    private static func write(
        _ provider: ServiceSettings.Provider, at now: Instant, to item: inout DocumentWriter
    ) {
        provider.writeAsOffered(to: &item)
        guard let platform = provider.platform else { return }
        item.flag("enablePlatformServices", platform.isEnabled(at: now))
        item.text("boardingStatus", platform.boarding.rawValue)
        item.flag("displayInPlatformPicker", platform.isListed)
        item.text("platformMappingId", platform.mappingID)
        item.texts("requiredMetadataFields", platform.requiredMetadata)
    }
}
