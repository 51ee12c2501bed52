internal import Dialects

/// What `screenrig replay` is to be told of a case whose rig takes something from this machine and sends it to a host
/// (README.md, Cases).
public enum ReplayPermission {
    /// ` --allow auth.staging.example`, to follow the name of the case; empty where nothing is needed. `source`: the rig's
    /// text; `target`: the address of the service, or what the stand-in is called.
    public static func option(forRig source: String, target: String) -> String {
        guard source.contains("${") || readsAccounts(source),
            let host = WebAddress(target)?.origin.host
        else { return "" }
        return " --allow \(host)"
    }

    /// Whether the rig's accounts are those of a file, so that trials take them in turn.
    public static func readsAccounts(_ source: String) -> Bool {
        source.split(separator: "\n").contains { line in
            guard line.hasPrefix("accounts:") else { return false }
            let value = line.dropFirst("accounts:".count).prefix { $0 != "#" }
            return value.filter { !" \t\"'".contains($0) } != "generated"
        }
    }
}
