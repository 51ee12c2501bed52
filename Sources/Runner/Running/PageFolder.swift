internal import Devices
internal import Dispatch
internal import Foundation
internal import Journal
internal import Synchronization

/// `pages/` of a run directory: login pages that could not be got past, a few of each cause
/// (README.md, What a run leaves). The folder comes into being with its first page.
package final class PageFolder: PageSink {
    private let path: String
    private let queue = DispatchQueue(label: "screenrig.pages", qos: .utility)
    private let kept = Mutex<[String: Shelf]>([:])

    /// The pages of one cause.
    private struct Shelf {
        /// Counts causes from 1, in the order of their first pages.
        var number: Int
        var pages = 0
    }

    private static let pagesPerCause = 5
    private static let causesAtMost = 20

    package init(in directory: String) {
        path = (directory as NSString).appendingPathComponent("pages")
    }

    package func offer(cause: String, page: () -> String) {
        let place = kept.withLock { kept -> (cause: Int, page: Int)? in
            var shelf = kept[cause] ?? Shelf(number: kept.count + 1)
            guard shelf.pages < Self.pagesPerCause, shelf.number <= Self.causesAtMost else {
                return nil
            }
            shelf.pages += 1
            kept[cause] = shelf
            return (shelf.number, shelf.pages)
        }
        guard let place else { return }
        let text = page()
        queue.async { [path] in
            try? PrivateFile.makeFolder(path)
            let name = "cause-\(place.cause)-page-\(place.page).html"
            let file = (path as NSString).appendingPathComponent(name)
            try? PrivateFile.write(Data(text.utf8), to: file)
        }
    }

    /// Waits until every page is written, and says how many there are.
    package func finish() -> Int {
        queue.sync {}
        return kept.withLock { $0.values.reduce(0) { $0 + $1.pages } }
    }
}
