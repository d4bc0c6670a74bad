import StoreRuntime

/// Shows the progress of a copy on standard error, if that is a terminal.
struct CopyProgressBar {
    private var bar: ProgressBar?

    /// Shows how far the copy is.
    mutating func update(_ progress: CopyProgress) {
        let shown = bar ?? ProgressBar("copying", total: progress.totalByteCount, unit: "bytes")
        bar = shown
        shown.update(to: progress.byteCount)
    }

    /// Removes the bar.
    func finish() { bar?.finish() }
}
