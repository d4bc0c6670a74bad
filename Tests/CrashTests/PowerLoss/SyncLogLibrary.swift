/// The library that logs the operations on the data file.
struct SyncLogLibrary {
    private let library: PreloadedLibrary

    init() throws { library = try PreloadedLibrary(source: "SyncLog/synclog.c") }

    /// Returns environment variables that make a process write a log, end itself before a write or sync, or see some syncs fail.
    ///
    /// - Parameters:
    ///   - root: A directory whose files and names are all logged; nil for the data files only.
    ///   - shortWrites: A text; writes to files with it in their paths write half of their bytes, or are interrupted.
    func environment(
        log: String? = nil, root: String? = nil, killAt: Int? = nil, failing: Range<Int> = 0..<0,
        shortWrites: String? = nil
    ) -> [String: String] {
        var variables = ["LD_PRELOAD": library.path]
        variables["SYNCLOG_FILE"] = log
        variables["SYNCLOG_ROOT"] = root
        if !failing.isEmpty { variables["SYNCLOG_FAIL"] = "\(failing.lowerBound):\(failing.count)" }
        variables["SYNCLOG_SHORT"] = shortWrites
        variables["SYNCLOG_KILL_AT"] = killAt.map(String.init)
        return variables
    }
}
