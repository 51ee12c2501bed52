internal import Dialects

/// The part of `RigAssembly` about one kind of household.
extension RigAssembly {
    mutating func kind(_ section: Section) -> HouseholdKind {
        let viewer: Section = section.value("viewer")
        let firstScreen: HouseholdKind.FirstScreen = Self.word("first-screen", in: section)
        let kind = HouseholdKind(
            name: section.value("name"), weight: section.value("weight"),
            firstScreen: firstScreen, secondScreens: section.value("second-screens"),
            device: Self.device(section.value("device"), of: firstScreen),
            viewer: HouseholdKind.Viewer(
                noticesCode: viewer.value("notices-code"), signsIn: viewer.value("signs-in"),
                givesUp: viewer.value("gives-up"),
                mistypesPassword: viewer.value("wrong-password"),
                mistypesCode: viewer.value("wrong-code"), typesTwice: viewer.value("types-twice"),
                cancels: viewer.value("cancels"), isTooLate: viewer.value("too-late")),
            platform: section.optional("platform-sign-on").map { platform($0) },
            hasTempPass: section.value("temp-pass"),
            hasSecondViewer: section.value("second-viewer"))
        if section.isWhole { check(kind, section, viewer) }
        return kind
    }

    /// Keys of a kind that cannot go together.
    private mutating func check(_ kind: HouseholdKind, _ section: Section, _ viewer: Section) {
        if kind.hasTempPass, kind.platform != nil {
            refuse(
                section.place(of: "temp-pass"),
                "a TempPass asks nobody, so that platform-sign-on would never happen; keep one")
        }
        if kind.hasSecondViewer > 0 { checkSecondViewer(kind, section) }
        guard kind.firstScreen.hasWebView else { return }
        if section.given.contains("second-screens") {
            refuse(
                section.place(of: "second-screens"),
                "\(kind.firstScreen.rawValue) signs in on itself and shows no code; leave "
                    + "second-screens out")
        }
        for key in ["wrong-code", "types-twice", "too-late"] where viewer.given.contains(key) {
            refuse(
                viewer.place(of: key),
                "nobody types a code where first-screen is \(kind.firstScreen.rawValue); leave "
                    + "\(key) out")
        }
    }

    private mutating func checkSecondViewer(_ kind: HouseholdKind, _ section: Section) {
        let place = section.place(of: "second-viewer")
        if kind.firstScreen != .tvos || kind.hasTempPass {
            refuse(
                place,
                "two can sign in at once only where a code is on the screen: first-screen is to be "
                    + "tvos, without temp-pass")
        } else if kind.platform == nil, kind.secondScreens < 2 {
            refuse(
                place,
                "two who type the code at once need a phone each; set second-screens to 2 or more")
        } else if root.items["accounts"]?.value is Section {
            refuse(
                place, "who signs in second is generated; leave accounts out, or second-viewer")
        }
    }

    /// What is not given is that of the usual device of this sort.
    private static func device(
        _ section: Section, of firstScreen: HouseholdKind.FirstScreen
    ) -> DeviceInfo {
        let usual: DeviceInfo =
            switch firstScreen {
            case .tvos, .sdkTVOS: .appleTV
            case .ios, .sdkIOS: .phone
            case .ipados: .tablet
            }
        func text(_ key: String, _ usual: String) -> String {
            section.given.contains(key) ? section.value(key) : usual
        }
        return DeviceInfo(
            model: text("model", usual.model), version: text("version", usual.version),
            manufacturer: text("manufacturer", usual.manufacturer),
            osName: text("osName", usual.osName), osVersion: text("osVersion", usual.osVersion),
            primaryHardwareType: text("primaryHardwareType", usual.primaryHardwareType),
            connectionType: text("connectionType", usual.connectionType),
            applicationId: text("applicationId", usual.applicationId))
    }

    private mutating func platform(_ section: Section) -> PlatformSignOn {
        let filter: [Item]? = section.optional("filter")
        let featured: [Item] = section.optional("featured") ?? []
        let script = PlatformSignOn(
            access: Self.word("access", in: section), prompt: Self.word("prompt", in: section),
            account: Self.word("account", in: section), picker: section.value("picker"),
            withdrawal: Self.word("withdrawn-before", in: section),
            error: section.value("error", as: PlatformError.self).code,
            errorPlace: Self.word("error-at", in: section),
            asking: Self.word("asks", in: section),
            settingsChange: Self.word("settings-change", in: section),
            filter: filter?.compactMap { $0.value as? String },
            featured: featured.compactMap { $0.value as? String },
            includesProvider: section.value("include-provider"),
            includesExpiry: section.value("include-expiry"), signer: signer(section))
        guard section.isWhole else { return script }
        if section.given.contains("error-at"), script.error == nil {
            refuse(
                section.place(of: "error-at"),
                "error-at says where the error occurs, and there is none; add 'error: 3'")
        }
        for item in featured {
            guard let id = item.value as? String, let filter = script.filter,
                !filter.contains(id)
            else { continue }
            refuse(
                item.place,
                "the picker cannot show '\(id)' first without offering it; add it to filter")
        }
        return script
    }

    /// A program, a key, or the demo key.
    private mutating func signer(_ section: Section) -> PlatformSignOn.Signer {
        let key = RigReader.file("key", of: section)
        guard let program = RigReader.file("command", of: section) else {
            if section.isWhole, section.given.contains("timeout") {
                refuse(
                    section.place(of: "timeout"),
                    "timeout is how long a program may take, and there is none; add 'command: PROGRAM'"
                )
            }
            return key.map(PlatformSignOn.Signer.key) ?? .demo
        }
        if section.isWhole, key != nil {
            refuse(
                section.place(of: "key"),
                "a program signs by itself; keep 'command' or 'key'")
        }
        return .command(Self.program(program), within: section.value("timeout"))
    }
}
