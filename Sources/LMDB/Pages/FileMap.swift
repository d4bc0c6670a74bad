internal import CLMDB
internal import Glibc

/// This process's own map of a data file, for reading.
///
/// liblmdb has a map of the same file. It does not expose its address, and it moves. This map stays until its last user releases
/// it. If the file outgrows it, the environment makes a larger one.
///
/// `@unchecked Sendable`: the address never changes.
@safe
final class FileMap: @unchecked Sendable {
    /// Small files get this much address space, so that they are rarely mapped again while they grow.
    private static let leastByteCount = 1 << 24

    let base: UnsafeRawPointer
    let byteCount: Int

    /// Maps a file with room to grow, or as it is if the address space has no room for more; nil (and `lastCode`) on failure.
    init?(_ descriptor: Int32, fileBytes: Int) {
        var wanted = Self.leastByteCount
        while wanted < 2 * fileBytes { wanted *= 2 }
        var address = unsafe mmap(nil, wanted, PROT_READ, MAP_SHARED, descriptor, 0)
        if unsafe address == MAP_FAILED {
            wanted = fileBytes
            unsafe address = mmap(nil, wanted, PROT_READ, MAP_SHARED, descriptor, 0)
        }
        guard let start = unsafe address, unsafe start != MAP_FAILED else { return nil }
        unsafe base = UnsafeRawPointer(start)
        byteCount = wanted
    }

    deinit { _ = unsafe munmap(UnsafeMutableRawPointer(mutating: base), byteCount) }
}
