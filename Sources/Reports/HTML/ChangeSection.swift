/// What got worse since the last comparable run.
enum ChangeSection {
    static func html(_ summary: Summary) -> HTML {
        """
        <p class="empty">This report was made without a run to compare it with: \
        <code>screenrig compare latest~1 latest</code> holds two runs side by side.</p>
        """
    }
}
