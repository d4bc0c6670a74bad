import Foundation
import LMDB
import Testing

/// The descriptors of an open environment.
@Suite struct DescriptorTests {
    @Test(arguments: [false, true])
    func `no program that the process starts inherits a file of the store`(isReadOnly: Bool) throws {
        let folder = try TemporaryDirectory()
        try LMDBEnvironment.open(at: folder.path, options: LMDBEnvironment.Options()).close()
        let environment = try LMDBEnvironment.open(
            at: folder.path, options: LMDBEnvironment.Options(isReadOnly: isReadOnly))
        defer { environment.close() }
        var names: Set<String> = []
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"),
                file.hasPrefix(folder.path)
            else { continue }
            let facts = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
            let flags = facts.split(separator: "\n").first { $0.hasPrefix("flags:") }?.split(separator: "\t").last
            let value = try #require(flags.flatMap { Int($0, radix: 8) })
            #expect(value & 0o2_000_000 != 0, "\(file) is open without O_CLOEXEC")
            names.insert(file)
        }
        #expect(
            names.contains { $0.hasSuffix("/data.mdb") } && names.contains { $0.hasSuffix("/lock.mdb") }, "\(names)")
    }
}
