internal import Foundation

/// Renders the page of a book of nights beside it.
public enum NightsFiles {
    /// `reports/nights.html` for `reports/nights.sqlite`.
    public static func page(of book: String) -> String {
        (book as NSString).deletingPathExtension + ".html"
    }

    /// Writes the page; links lead to reports that are there.
    public static func write(
        _ views: [NightsView], book: String, to page: String
    ) throws(NightError) {
        let shelf = NightShelf(book: book)
        let pageFolder = (page as NSString).deletingLastPathComponent
        let isBeside = (pageFolder.isEmpty ? "." : pageFolder) == shelf.folder
        let text = NightsPage.text(views) { night in
            guard shelf.holdsReport(night) else { return nil }
            let path = isBeside ? night.path : absolute(shelf.path(of: night.path))
            return address("\(path)/report.html")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: pageFolder.isEmpty ? "." : pageFolder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: page), options: .atomic)
        } catch {
            throw .unwritten(path: page, why: error.localizedDescription)
        }
    }

    private static func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path
    }

    /// A path as a browser takes it.
    static func address(_ path: String) -> String {
        let encoded =
            path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        // A first part with a colon would be taken for a scheme.
        return path.hasPrefix("/") ? "file://\(encoded)" : "./\(encoded)"
    }
}
