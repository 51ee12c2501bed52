internal import Formats
internal import Vocabulary

/// What answers repeat of their requests (rest-v1.md §§ 6.1, 10, 11). Of a registration code the page calls `requestor`
/// and `mvpd` an echo; that others are about the requestor asked for, and that a code is for the device that asked for it,
/// is our reading.
extension V1 {
    func echoes(of document: ReplyDocument, to call: Call, _ page: String) -> [Deviation] {
        guard call.operation.namesRequestor, document.reply.status < 300, !document.isPage,
            let tree = document.read()
        else { return [] }
        let page = "REST V1, \(page)"
        let isCode = call.operation == .registrationCode
        var found: [Deviation] = []
        if let other = Echo.deviation(
            of: tree["requestor"], "requestor", asked: requestor, page,
            isCode ? .documented : .reading)
        {
            found.append(other)
        }
        guard isCode else { return found }
        // A27: in XML the element is there, and empty, where no provider was chosen.
        if let asked = Self.field("mvpd", of: call), tree["mvpd"]?.text?.isEmpty == false,
            let other = Echo.deviation(of: tree["mvpd"], "mvpd", asked: asked, page)
        {
            found.append(other)
        }
        // Base64, or as it was sent.
        if let asked = Self.field("deviceId", of: call),
            let told = tree["info"]?["deviceId"]?.text, !told.isEmpty, told != asked
        {
            let plain = Base64.decode(told).flatMap { String(validating: $0, as: UTF8.self) }
            if plain != asked {
                found.append(
                    Echo.deviation(
                        "info.deviceId", told: plain ?? told, asked: asked, page, .reading))
            }
        }
        return found
    }

    /// A field of the form, or of the query where there is none (A2).
    private static func field(_ name: String, of call: Call) -> String? {
        FormEncoding.pairs(call.body).first { $0.0 == name }?.1
            ?? call.address.written(name).map { FormEncoding.decode(String($0)) }
    }
}

extension OperationName {
    /// Its answers in V1 have a field `requestor`.
    fileprivate var namesRequestor: Bool {
        switch self {
        case .registrationCode, .registrationRecord, .pollToken, .authorize, .authorizationToken,
            .mediaToken:
            true
        default: false
        }
    }
}
