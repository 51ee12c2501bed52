internal import Dialects
internal import Formats
internal import Journal

/// C (rest-v2.md § 14.3): V1's, without what has moved elsewhere.
extension Service {
    mutating func configurationV2(
        _ requestor: ServiceSettings.Requestor, at moment: Moment
    ) -> Reply {
        let providers = settings.providers.filter { isIntegrated($0, requestor, at: moment) }
        return answer(at: moment) { document in
            document.text("device", "unknown")
            document.text("clientType", "clientless")
            document.text("os", "unknown")
            document.text("time", UTCTime(milliseconds: moment.milliseconds).rfc3339)
            requestor.write(offering: providers, to: &document) { item, provider in
                Self.writeV2(provider, at: moment.now, to: &item)
            }
        }
    }

    /// What is false is left out.
    private static func writeV2(
        _ provider: ServiceSettings.Provider, at now: Instant, to item: inout DocumentWriter
    ) {
        provider.writeAsOffered(to: &item)
        guard let platform = provider.platform else { return }
        if platform.isEnabled(at: now) { item.flag("enablePlatformServices", true) }
        item.text("boardingStatus", platform.boarding.rawValue)
        if platform.isListed { item.flag("displayInPlatformPicker", true) }
        item.text("platformMappingId", platform.mappingID)
    }
}
