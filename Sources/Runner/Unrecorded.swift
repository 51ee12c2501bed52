package import Journal

/// Where exchanges go that belong to no run.
package struct Unrecorded: HistorySink {
    package init() {}
    package func append(_ batch: Batch) {}
}
