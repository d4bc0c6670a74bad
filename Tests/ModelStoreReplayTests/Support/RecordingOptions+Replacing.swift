import ModelStoreReplay

extension RecordingOptions {
    /// The options of a recording that replaces an earlier trace.
    static var replacing: RecordingOptions {
        var options = RecordingOptions()
        options.replacesFile = true
        return options
    }
}
