/// The scripts of our pages, from the files in `Page/`.
public enum PageScript {
    /// What shows the numbers of a chart under the pointer, in report.html and in the dashboard.
    public static let charts = String(decoding: PackageResources.charts_js, as: UTF8.self)

    /// Of report.html: it sorts tables, and has a brush that all charts over time share. Everything it adds
    /// is an extra: no number is only in it.
    static let report = charts + String(decoding: PackageResources.report_js, as: UTF8.self)
}
