import Foundation
import Glibc

/// A small file system in memory, on machines that allow mounting one.
final class MemoryFileSystem {
    /// Tried only once: containers often forbid mounting.
    static let isAvailable: Bool = (try? MemoryFileSystem(byteCount: 1 << 20)) != nil

    let directory: TemporaryDirectory
    var path: String { directory.path }

    init(byteCount: Int) throws {
        directory = try TemporaryDirectory()
        guard unsafe mount("tmpfs", directory.path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }

    func makeReadOnly() throws {
        guard unsafe mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }

    deinit {
        _ = unsafe umount2(path, Int32(MNT_DETACH))
    }
}
