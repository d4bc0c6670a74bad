import Foundation

/// The space that the sides use on disk and in memory.
struct Footprint: Codable {
    /// The bytes on disk for each record.
    var diskBytes: [SideKind: Double] = [:]
    /// The peak memory of a process that inserts all records, in MiB.
    var insertMebibytes: [SideKind: Double] = [:]
    /// The peak memory of a process that scans all records and reads each by id, in MiB.
    var readMebibytes: [SideKind: Double] = [:]
    /// The peak memory of a process that only makes the data, in MiB.
    var dataMebibytes = 0.0

    func printOut() {
        printLine("8a disk, bytes a record", diskBytes)
        printLine("8b peak MiB, insert", insertMebibytes)
        printLine("8c peak MiB, read", readMebibytes)
        print(
            """
                8a after the bulk insert: files as allocated; ModelStore and raw hold each record once more in the feed
                8b, 8c peak resident memory of a process of its own; for LMDB it counts the pages of the file in use;
                the data itself takes \(TablePrinter.number(dataMebibytes)) MiB of it
            """)
    }

    private func printLine(_ name: String, _ values: [SideKind: Double]) {
        var line = TablePrinter.pad(name, 26)
        for side in SideKind.allCases {
            line += TablePrinter.pad(values[side].map { TablePrinter.number($0) } ?? "-", 16, false)
        }
        print(line)
    }

    /// Returns the bytes that the files in a directory occupy on disk.
    static func allocatedBytes(in directory: String) throws -> Int {
        var sum = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            var status = stat()
            if unsafe stat("\(directory)/\(name)", &status) == 0 { sum += Int(status.st_blocks) * 512 }
        }
        return sum
    }

    /// Returns one of the sizes that the system reports for this process.
    static func statusKibibytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }),
            let size = Int(line.filter(\.isNumber))
        else { throw BenchmarkError("the system does not say how much memory was used") }
        return size
    }

    /// Runs this program again for one side and one task, and returns its peak memory in MiB.
    static func peakMebibytes(of task: ChildTask, _ side: SideKind?, _ directory: String, rows: Int) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--child", task.rawValue, "--child-side", (side ?? .raw).rawValue, "--directory", directory,
            "--rows", "\(rows)",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let kibibytes = Double(text) else {
            throw BenchmarkError("the child for \(task.rawValue) failed: \(text)")
        }
        return kibibytes / 1_024
    }
}

/// The task of a child process. Each child works for one side, so that its peak memory belongs to that side.
enum ChildTask: String {
    case data, insert, read, stream

    func run(_ side: SideKind, directory: String, rows: Int) throws {
        if self == .stream {
            print(try Streaming.peakKibibytes(directory, count: rows))
            return
        }
        var source = AccountSource()
        let accounts = source.next(rows)
        if self != .data {
            let opened = try side.open(directory)
            if self == .insert {
                try opened.insertTogether(accounts)
            } else {
                _ = try opened.scan()
                _ = try opened.readTogether(accounts.map(\.id))
            }
            try opened.close()
        }
        print(try Footprint.statusKibibytes("VmHWM"))
    }
}
