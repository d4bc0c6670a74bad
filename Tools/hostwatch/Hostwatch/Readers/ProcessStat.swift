/// The fields of `/proc/[pid]/stat` that are used (see proc(5)).
struct ProcessStat: Sendable, Equatable {
    var pid: Int32
    var name: String
    var state: ProcessState
    var parent: Int32
    var userTicks: UInt64
    var systemTicks: UInt64
    var threads: Int
    var startTicks: UInt64
    var virtualBytes: UInt64

    /// Parses the file; nil if it is not in the kernel's format.
    ///
    /// The name is in parentheses and may itself contain spaces, parentheses and line feeds. So it ends at the last closing
    /// parenthesis of the file. Everything after it is numbers.
    init?(_ bytes: [UInt8]) {
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")), let close = bytes.lastIndex(of: UInt8(ascii: ")")),
            open < close, let pid = Int32(text(bytes[..<open]).filter { $0 != " " })
        else { return nil }
        // The first of these is field 3 of the documentation.
        let fields = bytes[(close + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard fields.count > 20, fields[0].count == 1, let letter = fields[0].first,
            let parent = Int32(text(fields[1])), let userTicks = UInt64(text(fields[11])),
            let systemTicks = UInt64(text(fields[12])), let threads = Int(text(fields[17])),
            let startTicks = UInt64(text(fields[19])), let virtualBytes = UInt64(text(fields[20]))
        else { return nil }
        self.pid = pid
        name = text(bytes[(open + 1)..<close])
        state = ProcessState(letter: letter)
        self.parent = parent
        self.userTicks = userTicks
        self.systemTicks = systemTicks
        self.threads = threads
        self.startTicks = startTicks
        self.virtualBytes = virtualBytes
    }
}

/// The fields of `/proc/[pid]/status` that are used.
struct ProcessStatus: Sendable, Equatable {
    /// The effective user id.
    var userID: UInt32
    /// The memory in RAM; 0 for kernel threads and zombies, which have none. It comes from this file because the number in `stat`
    /// is an estimate.
    var residentBytes: UInt64

    /// Parses the file; nil if it is not in the kernel's format. The name in it is escaped, so it contains no line feeds.
    init?(_ bytes: [UInt8]) {
        var userID: UInt32?
        residentBytes = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
            if line.starts(with: "Uid:".utf8), words.count == 5 {
                userID = UInt32(text(words[2]))
            } else if line.starts(with: "VmRSS:".utf8), words.count == 3, let kibibytes = UInt64(text(words[1])) {
                residentBytes = kibibytes << 10
            }
        }
        guard let userID else { return nil }
        self.userID = userID
    }
}

/// Parses the arguments in `/proc/[pid]/cmdline`. Each ends with a zero byte, unless the process has overwritten them.
func parseCommandLine(_ bytes: [UInt8]) -> [String] {
    guard !bytes.isEmpty else { return [] }
    let end = bytes.last == 0 ? bytes.count - 1 : bytes.count
    return bytes[..<end].split(separator: 0, omittingEmptySubsequences: false).map { text($0) }
}

/// Parses the seconds from 1970 to this machine's start, from `/proc/stat`.
func parseBootTime(_ bytes: [UInt8]) -> UInt64? {
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: "btime ".utf8) {
        return UInt64(text(line.dropFirst(6)))
    }
    return nil
}

/// Returns bytes of the kernel as text. Names may contain bytes that are not UTF-8; these are replaced.
private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
