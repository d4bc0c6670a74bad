import Dispatch
import Glibc
import LMDB
import StoreEngine

/// The resources of the system that every command needs.
///
/// Swift's runtime ends a process that gets no memory, and a process that gets no descriptor for its first timer. A task that
/// gets no thread waits without an end. So a command first makes sure that there is enough of each.
enum ProcessLimits {
    private static let descriptorCount = 16
    private static let threadCount = 8
    /// An import needs up to 200 MB, and half of a limited address space goes to the map.
    private static let addressByteCount = 512 << 20

    /// Fails if the process cannot have enough of a resource.
    static func require() throws {
        try requireDescriptors()
        try requireAddresses()
        try requireThreads()
    }

    private static func requireDescriptors() throws(CommandFailure) {
        var made: [Int32] = []
        defer { for descriptor in made { close(descriptor) } }
        while made.count < descriptorCount {
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw CommandFailure(
                    .ioError,
                    "\(made.count) more files can be open, and store-cli needs \(descriptorCount); raise the limit (ulimit -n)"
                )
            }
            made.append(descriptor)
        }
    }

    private static func requireAddresses() throws(CommandFailure) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let address = unsafe mmap(nil, addressByteCount, PROT_NONE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw CommandFailure(
                .ioError,
                "less than \(addressByteCount >> 20) MiB of address space is left; raise the limit (ulimit -v)")
        }
        _ = unsafe munmap(address, addressByteCount)
    }

    private static func requireThreads() throws {
        let isOver = DispatchSemaphore(value: 0)
        var count = 0
        defer { for _ in 0..<count { isOver.signal() } }
        while count < threadCount {
            try mapLMDB { () throws(LMDBError) in try SystemThread.start("store-cli", for: nil) { isOver.wait() } }
            count += 1
        }
    }
}
