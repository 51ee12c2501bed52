internal import Formats
internal import Foundation
internal import Rigs

extension Case {
    /// Reads a case's file.
    public init(contentsOf file: String) throws(CaseError) {
        guard let text = Disk.contents(file) else {
            throw .unreadable(file: file, reason: Self.whyUnreadable(file))
        }
        try self.init(Array(text.utf8), file: file)
    }

    /// Reads a case's text; `file` names it in errors. The first thing that is wrong is thrown.
    public init(_ bytes: [UInt8], file: String) throws(CaseError) {
        guard let tree = JSONReader.read(bytes, nodesAtMost: 10 * JSON.maximumNodes) else {
            throw .notJSON(file: file, place: Self.place(in: bytes))
        }
        guard case .object(var members) = tree else {
            throw .wrong(file: file, key: "the document", found: "no object", wanted: "an object")
        }
        guard let schema = tree["schema"]?.text else {
            throw .missing(file: file, key: "schema", wanted: "'\(Self.schema)'")
        }
        guard schema == Self.schema else { throw .otherSchema(file: file, found: schema) }
        // The first cases had none.
        if tree["prefixes"] == nil || tree["prefixes"] == .null {
            members.removeAll { $0.name == "prefixes" }
            members.append(JSON.Member(name: "prefixes", value: .array([])))
        }
        do {
            self = try JSON.object(members).decoded()
        } catch {
            guard let found = error.found else {
                throw .missing(file: file, key: error.path, wanted: error.wanted)
            }
            throw .wrong(file: file, key: error.path, found: found, wanted: error.wanted)
        }
        try CaseCheck(file: file).check(self)
    }

    /// Of a directory, such as a run's, the cases in it.
    private static func whyUnreadable(_ path: String) -> String {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return "no such file"
        }
        guard isDirectory.boolValue else { return "it is not a text file of at most 32 MB" }
        let found = ["", "cases"].flatMap { folder in
            let place = (path as NSString).appendingPathComponent(folder)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return names.filter { $0.hasSuffix(".json") && $0 != "summary.json" }.sorted()
                .map { (folder as NSString).appendingPathComponent($0) }
        }
        guard !found.isEmpty else { return "it is a directory, and there are no cases in it" }
        return "it is a directory; name one of its cases: \(found.joined(separator: ", "))"
    }

    /// `line 3, column 5`, as far as the system's own reader knows.
    private static func place(in bytes: [UInt8]) -> String {
        do {
            _ = try JSONSerialization.jsonObject(
                with: Data(bytes), options: [.fragmentsAllowed])
            return ""
        } catch {
            let text = "\(error)"
            guard let line = text.firstRange(of: "line ") else { return "" }
            let rest = text[line.lowerBound...].prefix {
                $0.isLetter || $0.isNumber || $0 == " " || $0 == ","
            }
            return String(rest)
        }
    }
}
