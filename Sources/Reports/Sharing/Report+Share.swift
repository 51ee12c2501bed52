public import Checker
internal import Foundation
public import Journal
internal import Rendering
public import Rigs

extension Report {
    /// Writes an archive of a run's reports in which people and devices have pseudonyms. The history
    /// is not in it. Throws rather than let a name through.
    public static func share(
        _ history: History, thresholds: [Threshold], findings: Findings?, as archive: String
    ) throws(ReportError) {
        let files: [(name: String, bytes: [UInt8])]
        do {
            let pseudonyms = try Pseudonyms(history)
            let run = SharedRun(original: history, pseudonyms: pseudonyms)
            let folder = "\(history.header.run)-shared"
            files = try texts(
                run, thresholds: thresholds, findings: findings.map(run.shared)
            ).map { name, text in
                if let left = pseudonyms.remains(in: text) {
                    throw ReportError.stillNamed(file: name, length: left.count)
                }
                return ("\(folder)/\(name)", Array(text.utf8))
            }
        } catch let error as ReportError {
            throw error
        } catch {
            throw .unreadable(why: "\(error)")
        }
        do {
            try PrivateFile.write(Data(Zip.archive(files)), to: archive)
        } catch {
            throw .unwritten(file: archive, why: reason(error))
        }
    }
}
