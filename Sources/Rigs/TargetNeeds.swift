internal import Dialects

/// What the operations of a rig need of `target:` and would miss at a service of somebody else's:
/// keys that are left at the values of the stand-in. All of it is doubtful rather than wrong, for a
/// stand-in may run on another host too.
public struct TargetNeeds {
    private(set) var warnings: [RigProblem] = []
    private let marks: Marks

    init(_ rig: Rig, _ marks: Marks) {
        self.marks = marks
        let target = rig.target
        guard marks.isWhole, case .remote(let origin, _) = target.base,
            !Self.isThisMachine(origin.host)
        else { return }
        if target.usesBearer, case .given = target.clients {
            // Somebody registered already.
        } else if target.usesBearer, target.softwareStatement == nil {
            warn(
                "software-statement", "register-client",
                "the stand-in's own statement would be sent; add 'software-statement: "
                    + "${SOFTWARE_STATEMENT}', or credentials under clients")
        }
        let rest: [(key: String, operation: String, value: String)] = [
            ("requestor", "every operation", target.requestor),
            ("domain", "authenticate", target.domain),
            ("redirect-url", "authenticate", target.redirectURL),
        ]
        for (key, operation, value) in rest {
            warn(key, operation, "the default '\(value)' is for the stand-in; add '\(key): ...'")
        }
        if rig.accounts == .generated {
            warnings.append(
                RigProblem(
                    marks.place,
                    .conflict(
                        "generated accounts work only with a stand-in (mvpd-login): add "
                            + "'accounts: {file: accounts.csv}' to the rig")))
        }
        if let operation = rig.afterSignIn.lazy.compactMap(\.playing).first {
            let value = target.resources.first ?? ""
            warn(
                "resources", operation,
                "the default '\(value)' is for the stand-in; add 'resources: [...]'")
        }
    }

    /// Unless the file gives the key.
    private mutating func warn(_ key: String, _ operation: String, _ remedy: String) {
        guard !marks.gives(key) else { return }
        warnings.append(
            RigProblem(
                marks.place,
                .conflict("target has no '\(key)', which \(operation) needs: \(remedy)")))
    }

    /// Whether a host can only be this machine: nobody needs leave for it.
    public static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.")
            || host == "::1"
    }
}

extension Rig.Activity {
    /// The operation, where it asks for a resource.
    fileprivate var playing: String? {
        switch self {
        case .ask(.preauthorizeCode): "preauthorize"
        case .ask(let operation): operation.needsResources ? operation.name : nil
        case .playAtOnce, .plays: "authorize"
        case .watch, .logout, .again, .relaunch, .secondProvider: nil
        }
    }
}
