import Foundation
import Glibc

/// The resources that the process uses at one moment.
struct SoakSample {
    /// Resident memory, and the part of it that belongs to no file.
    let residentKibibytes: Int
    let anonymousKibibytes: Int
    let descriptorCount: Int
    let threadCount: Int
    let fileKibibytes: Int

    /// Takes a sample. Gives free memory back to the system first, so that the allocator's reserve does not count.
    init(store: String) {
        Self.releaseFreeMemory()
        let pages = Self.text("/proc/self/statm").split(separator: " ").compactMap { Int($0) }
        residentKibibytes = pages.count > 1 ? pages[1] * sysconf(Int32(_SC_PAGESIZE)) / 1_024 : 0
        let status = Self.text("/proc/self/status")
        anonymousKibibytes = Self.number("RssAnon:", in: status)
        threadCount = Self.number("Threads:", in: status)
        descriptorCount = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let size = (try? FileManager.default.attributesOfItem(atPath: store + "/data.mdb"))?[.size] as? NSNumber
        fileKibibytes = (size?.intValue ?? 0) / 1_024
    }

    /// Calls `malloc_trim`, which Swift's Glibc module does not export.
    private static func releaseFreeMemory() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    private static func number(_ name: String, in status: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
