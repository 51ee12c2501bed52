@_spi(Untrusted) internal import Dialects

extension HTMLPage {
    /// The page that an answer brought.
    init(_ page: Untrusted) { self.init(page.raw) }
}
