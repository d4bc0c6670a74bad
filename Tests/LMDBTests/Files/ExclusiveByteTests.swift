import Foundation
import Glibc
import LMDB
import Testing

/// Locks on bytes of the wake file.
@Suite struct ExclusiveByteTests {
    private static func withFile(_ body: (WakeFile) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bytes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(try WakeFile(in: folder.path, fileMode: 0o600, isReadOnly: false))
    }

    @Test func `a byte has one holder, in one process too, and others none`() throws {
        try Self.withFile { file in
            #expect(try !ExclusiveByte.isTaken(3, of: file))
            let held = try #require(try ExclusiveByte(3, of: file))
            #expect(try ExclusiveByte.isTaken(3, of: file))
            #expect(try ExclusiveByte(3, of: file) == nil)
            #expect(try ExclusiveByte(4, of: file) != nil)
            #expect(try !ExclusiveByte.isTaken(4, of: file))
            _ = consume held
            #expect(try ExclusiveByte(3, of: file) != nil)
        }
    }

    @Test func `a mark is set by any number of holders, and lies apart from the byte of the same number`() throws {
        try Self.withFile { file in
            var first: SharedByte? = try SharedByte(3, of: file)
            let reader = try WakeFile(in: file.folder, fileMode: 0o600, isReadOnly: true)
            var second: SharedByte? = try SharedByte(3, of: reader)
            #expect(first != nil && second != nil)
            #expect(try SharedByte.isSet(3, of: file) && !SharedByte.isSet(4, of: file))
            #expect(try !ExclusiveByte.isTaken(3, of: file))
            let held = try #require(try ExclusiveByte(4, of: file))
            #expect(try !SharedByte.isSet(4, of: file))
            first = nil
            #expect(try SharedByte.isSet(3, of: file))
            second = nil
            #expect(try !SharedByte.isSet(3, of: file))
            _ = consume held
        }
    }

    @Test func `a lock is given up though a child process still has the file, which was being started`() throws {
        try Self.withFile { file in
            var held: ExclusiveByte? = try ExclusiveByte(3, of: file)
            // A child process has copies like these between `fork` and `exec`.
            let folder = "/proc/self/fd"
            let copies = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name -> CInt? in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return target == file.path ? CInt(name).map { dup($0) } : nil
            }
            #expect(!copies.isEmpty && held != nil)
            held = nil
            #expect(try !ExclusiveByte.isTaken(3, of: file))
            for copy in copies { close(copy) }
        }
    }
}

extension WakeFile {
    fileprivate var folder: String { URL(filePath: path).deletingLastPathComponent().path }
}
