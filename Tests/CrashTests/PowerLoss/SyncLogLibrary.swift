import ChildPrograms
import Foundation

/// The preloaded library, compiled for this value and removed with it.
struct SyncLogLibrary {
    let path: String
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
        path = directory.path("libsynclog.so")
        guard let compiler = Command.find(["clang", "cc", "gcc"]) else {
            throw Command.Failed(description: "no C compiler: install the Swift toolchain's clang, or gcc")
        }
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../SyncLog/synclog.c").standardized.path
        try Command.run(
            compiler, ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", path, source])
    }

    /// Returns environment variables that make a process write a log, end itself before a write or sync, or see some syncs fail.
    ///
    /// - Parameter root: A directory whose files and names are all logged; nil for the data files only.
    func environment(
        log: String? = nil, root: String? = nil, killAt: Int? = nil, failing: Range<Int> = 0..<0
    ) -> [String: String] {
        var variables = ["LD_PRELOAD": path]
        variables["SYNCLOG_FILE"] = log
        variables["SYNCLOG_ROOT"] = root
        if !failing.isEmpty { variables["SYNCLOG_FAIL"] = "\(failing.lowerBound):\(failing.count)" }
        variables["SYNCLOG_KILL_AT"] = killAt.map(String.init)
        return variables
    }
}
