internal import Foundation
internal import Journal

/// Where the digests of a book of nights lie: `reports/digests/nightly.txt`, `.html` and `.json` beside
/// `reports/nights.sqlite`, of the newest night of each rig.
public struct DigestFiles: Sendable {
    public let text: String
    public let page: String
    public let json: String

    public init(book: String, rig: String) {
        let folder = (NightShelf(book: book).folder as NSString).appendingPathComponent("digests")
        let base = (folder as NSString).appendingPathComponent(RunDirectory.slug(rig))
        (text, page, json) = ("\(base).txt", "\(base).html", "\(base).json")
    }

    /// Writes a digest and the message that holds it; returns the message, one line. `base` is the web address of
    /// the book's folder, nil where it has none.
    public static func write(
        _ digest: Digest, exitCode: Int32, book: String, page: String, base: String?
    ) throws(NightError) -> (message: String, files: DigestFiles) {
        let files = DigestFiles(book: book, rig: digest.rig)
        let message = message(
            digest, exitCode: exitCode, book: book, page: page, base: base, files: files)
        let link = link(digest, book: book, page: page, base: base)
        for (path, text) in [
            (files.text, DigestText.text(digest, link: link)),
            (files.page, DigestPage.text(digest, link: link)), (files.json, message + "\n"),
        ] {
            do {
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent,
                    withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw .unwritten(path: path, why: PrivateFile.reason(of: error))
            }
        }
        return (message, files)
    }

    /// The message, one line; `files` are named in it where they are written.
    public static func message(
        _ digest: Digest, exitCode: Int32, book: String, page: String, base: String?,
        files: DigestFiles? = nil
    ) -> String {
        let link = link(digest, book: book, page: page, base: base)
        let report = digest.night.flatMap { night -> String? in
            let shelf = NightShelf(book: book)
            return shelf.holdsReport(night) ? shelf.path(of: night.path) + "/report.html" : nil
        }
        return NightJSON.text(
            digest.view, exitCode: exitCode, report: report, page: page,
            digest: digest.json(
                link: link, text: DigestText.text(digest, link: link), files: files))
    }

    /// The page that tells most: of what concerns this night alone its report, else the page of all nights. A path where
    /// there is no `base`.
    static func link(_ digest: Digest, book: String, page: String, base: String?) -> String {
        let shelf = NightShelf(book: book)
        let ofNight: [Digest.Finding.Kind] = [.failed, .unusual, .observed, .noValues]
        let isOfNight = digest.findings.first.map { ofNight.contains($0.kind) } ?? false
        let target: String
        if isOfNight, let night = digest.night, shelf.holdsReport(night) {
            target = shelf.path(of: night.path) + "/report.html"
        } else {
            target = page
        }
        guard let base else { return URL(filePath: target).standardizedFileURL.path }
        // What does not lie below the folder of the book is not below its address.
        let name = shelf.name(of: target)
        let path = name.hasPrefix("/") ? shelf.name(of: page) : name
        let root = base.hasSuffix("/") ? String(base.dropLast()) : base
        guard !path.hasPrefix("/") else { return root + "/" }
        return root + "/"
            + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
    }
}
