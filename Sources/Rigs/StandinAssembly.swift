internal import Vocabulary

/// What the service is held to, and what the stand-in does.
extension RigAssembly {
    func policies(_ section: Section) -> Policies {
        Policies(
            codeReuse: Self.word("code-reuse", in: section),
            newCode: Self.word("new-code", in: section),
            secondSignIn: Self.word("second-sign-in", in: section),
            mediaReuse: Self.word("media-reuse", in: section),
            goneDecays: section.value("gone-decays"), visibility: section.value("visibility"),
            sweepLag: section.value("sweep-lag"), clockTolerance: section.value("clock-tolerance"),
            unknownDeadline: section.value("unknown-deadline"),
            throttle: Self.throttle(section))
    }

    /// The map under `throttle`; nil where a word stands.
    private static func throttle(_ section: Section) -> Policies.Throttle? {
        (section.items["throttle"]?.value as? Section).map {
            Policies.Throttle(rate: $0.value("rate"), burst: $0.value("burst"))
        }
    }

    /// Settings of a service that this run does not talk to: nothing comes of them.
    static func idleStandin(_ section: Section, _ target: Target) -> [RigProblem] {
        guard case .remote(let origin, _) = target.base, !section.given.isEmpty else { return [] }
        let keys = section.given.sorted().joined(separator: ", ")
        return [
            RigProblem(
                section.place,
                .conflict(
                    "standin (\(keys)) configures the embedded target and has no effect on "
                        + "\(origin.host); configure the service itself, or use the options of "
                        + "'screenrig serve'"
                ))
        ]
    }

    mutating func standin(_ section: Section, under policies: Policies) -> Rig.StandinTerms {
        let network: Section = section.value("network")
        let providers: [Item] = section.value("providers")
        var behaviour = differing(section.value("policies"), from: policies)
        switch section.items["throttle"]?.value as? String {
        case "contract": break
        case "off": behaviour.throttle = nil
        default: behaviour.throttle = Self.throttle(section)
        }
        return Rig.StandinTerms(
            policies: behaviour, isStrict: section.value("fidelity") == "strict",
            authnLifetime: section.value("authn-ttl"), authzLifetime: section.value("authz-ttl"),
            mediaLifetime: section.value("media-ttl"), accessLifetime: section.value("access-ttl"),
            deletesOnFirstRetrieve: section.value("delete-on-first-retrieve"),
            enhancedErrors: section.value("enhanced-errors"),
            unentitled: section.value("not-entitled"),
            signsMedia: section.value("sign-media"),
            verifiesStatements: section.value("verify-statements"),
            hasOpaqueUsers: section.value("user-ids") == "opaque",
            providersRemember: section.value("providers-remember"),
            providers: self.providers(providers), latency: network.value("latency"),
            loss: network.value("loss"), platformKey: RigReader.file("platform-key", of: section))
    }

    private func differing(_ section: Section, from policies: Policies) -> Policies {
        func word<T: RawRepresentable>(_ key: String, _ held: T) -> T where T.RawValue == String {
            section.items[key] == nil ? held : Self.word(key, in: section)
        }
        var result = policies
        result.codeReuse = word("code-reuse", policies.codeReuse)
        result.newCode = word("new-code", policies.newCode)
        result.secondSignIn = word("second-sign-in", policies.secondSignIn)
        result.mediaReuse = word("media-reuse", policies.mediaReuse)
        result.goneDecays = section.optional("gone-decays") ?? policies.goneDecays
        return result
    }

    private mutating func providers(_ items: [Item]) -> [Rig.StandinTerms.Provider] {
        var ids: Set<String> = []
        return items.compactMap { item in
            guard let section = item.value as? Section, section.isWhole else { return nil }
            let id: String = section.value("id")
            if !ids.insert(id).inserted {
                refuse(
                    section.place(of: "id"),
                    "duplicate provider '\(id)'; give each provider its own id")
            }
            let passTime: Duration? = section.optional("temp-pass")
            let platform: Rig.StandinTerms.Provider.Platform =
                if section.items["platform"] != nil {
                    Self.word("platform", in: section)
                } else {
                    passTime == nil ? .supported : .none
                }
            let refuses: String = section.value("platform-refuses")
            return Rig.StandinTerms.Provider(
                id: id, platform: platform, passTime: passTime,
                authnLifetime: section.optional("authn-ttl"),
                offersMetadata: section.value("metadata"),
                encryptsZip: section.value("encrypted-zip"), proxy: section.optional("proxy"),
                platformFor: section.optional("platform-for"),
                platformRefuses: refuses == "none" ? nil : refuses,
                integratedFor: section.optional("integrated-for"))
        }
    }
}
