@testable import Races

extension Reader {
    /// Input: a case's file.
    static let cases = Reader("cases", limit: 8_192) { bytes in
        let read: Case
        do throws(CaseError) { read = try Case(bytes, file: "case.json") } catch {
            return error.description.isEmpty ? "an error without words" : nil
        }
        let written = read.json
        do throws(CaseError) {
            let again = try Case(Array(written.utf8), file: "case.json")
            if again.json != written { return "written again it reads differently" }
        } catch {
            return "what was written cannot be read: \(error)"
        }
        return read.page(replaying: "case.json").isEmpty ? "no page" : nil
    }
}
