internal import Formats

/// The providers that a configuration offers (C1 of rest-v1.md § 7, C of rest-v2.md § 14.3).
enum Offer {
    /// `page`: where the page speaks of it.
    static func read(_ tree: JSONDocument.Value, _ page: String) -> Reading {
        guard let requestor = tree["requestor"], let list = requestor["mvpds"] else {
            return .incomplete("\(page): requestor.mvpds is a list")
        }
        let providers = list.items("mvpd").compactMap { item -> Provider? in
            guard let id = item["id"]?.text else { return nil }
            return Provider(
                id: id, displayName: item["displayName"]?.text ?? id,
                isTempPass: item["isTempPass"]?.isTrue ?? false, platform: platformTerms(item))
        }
        let off = providers.filter { $0.platform?.isEnabled == false }.map(\.id)
        return Reading(
            .ok, .configuration(providers),
            Observation(.success, record: off.isEmpty ? nil : off.joined(separator: ",")))
    }

    /// "The five platform properties are present only for MVPDs set up for platform SSO" (rest-v1.md § 7);
    /// rest-v2.md has no metadata fields any more (§ 14.3).
    private static func platformTerms(_ item: JSONDocument.Value) -> Provider.PlatformTerms? {
        guard let enabled = item["enablePlatformServices"], enabled.kind != .null else {
            return nil
        }
        return Provider.PlatformTerms(
            isEnabled: enabled.isTrue,
            boarding: item["boardingStatus"]?.text.flatMap(
                Provider.PlatformTerms.Boarding.init(rawValue:)),
            isListed: item["displayInPlatformPicker"]?.isTrue ?? false,
            mappingID: item["platformMappingId"]?.text ?? "",
            requiredMetadata: metadataFields(item))
    }

    /// A list in JSON, a repeated element in XML.
    private static func metadataFields(_ item: JSONDocument.Value) -> [String] {
        guard let fields = item["requiredMetadataFields"] else { return [] }
        if fields.kind == .array { return fields.items.compactMap(\.text) }
        return item.items("requiredMetadataFields").compactMap(\.text)
    }

    static let fields: [ConformanceField] = [
        .required(
            "requestor",
            .object([
                .required("id", .text), .optional("name", .text),
                .optional(
                    "domains",
                    .list(
                        of: "domain",
                        [.required("name", .text, .reading), .optional("mvpdInitiated", .flag)])
                ),
                .required("mvpds", .list(of: "mvpd", provider)),
            ])),
        .optional("device", .text), .optional("clientType", .text), .optional("os", .text),
        .optional("time", .text),
    ]

    private static let provider: [ConformanceField] = [
        .required("id", .text), .required("displayName", .text), .optional("logoUrl", .text),
        .optional("isTempPass", .flag), .optional("isProxy", .flag),
        .optional("authPerAggregator", .flag), .optional("passiveAuthnEnabled", .flag),
        .optional("authPerBrowserSession", .flag), .optional("iFrameRequired", .flag),
        .optional("iFrameWidth", .number), .optional("iFrameHeight", .number),
        .optional("enablePlatformServices", .flag),
        .optional("boardingStatus", .word(["SUPPORTED", "PICKER"])),
        .optional("displayInPlatformPicker", .flag), .optional("platformMappingId", .text),
    ]
}
