internal import Rendering

/// The script of report.html: it sorts tables, shows numbers under the pointer, and has a brush that all
/// charts over time share. Everything it adds is an extra: no number is only in it.
enum PageScript {
    static let text = Plot.script + String(decoding: PackageResources.report_js, as: UTF8.self)
}
