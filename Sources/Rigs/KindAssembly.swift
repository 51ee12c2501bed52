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
                "with temp-pass there is no sign-in, so platform-sign-on has no effect; remove "
                    + "one of them")
        }
        if kind.hasSecondViewer > 0 { checkSecondViewer(kind, section) }
        guard kind.firstScreen.hasWebView else { return }
        if section.given.contains("second-screens") {
            refuse(
                section.place(of: "second-screens"),
                "first-screen \(kind.firstScreen.rawValue) signs in on the device itself and "
                    + "shows no code; remove second-screens")
        }
        for key in ["wrong-code", "types-twice", "too-late"] where viewer.given.contains(key) {
            refuse(
                viewer.place(of: key),
                "first-screen \(kind.firstScreen.rawValue) shows no code to type; remove \(key)")
        }
    }

    private mutating func checkSecondViewer(_ kind: HouseholdKind, _ section: Section) {
        let place = section.place(of: "second-viewer")
        if kind.firstScreen != .tvos || kind.hasTempPass {
            refuse(
                place,
                "second-viewer needs a code on the screen; write first-screen: tvos and remove "
                    + "temp-pass")
        } else if kind.platform == nil, kind.secondScreens < 2 {
            refuse(
                place,
                "second-viewer needs a phone for each viewer; set second-screens to 2 or more")
        } else if root.items["accounts"]?.value is Section {
            refuse(
                place,
                "second-viewer works with generated accounts only; remove accounts or "
                    + "second-viewer")
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
                "error-at has no effect without an error; add 'error: 3', or remove it")
        }
        for item in featured {
            guard let id = item.value as? String, let filter = script.filter,
                !filter.contains(id)
            else { continue }
            refuse(
                item.place,
                "featured provider '\(id)' is not in filter; add it there")
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
                    "timeout is the time limit of a program; add 'command: PROGRAM', or remove it"
                )
            }
            return key.map(PlatformSignOn.Signer.key) ?? .demo
        }
        if section.isWhole, key != nil {
            refuse(
                section.place(of: "key"),
                "'key' has no effect with 'command', whose program signs; remove one of them")
        }
        return .command(Self.program(program), within: section.value("timeout"))
    }
}
