/// The boot of the system: as long as it is the same, the page cache has all that processes wrote, whichever of them were killed.
///
/// `proc_sys_kernel(5)`: `/proc/sys/kernel/random/boot_id`.
package enum BootIdentity {
    /// The kernel's boot id; empty if the system does not tell. Then each first open of a store runs the log again.
    package static let current: String = {
        guard let descriptor = SystemCalls.openToRead("/proc/sys/kernel/random/boot_id") else { return "" }
        defer { SystemCalls.close(descriptor) }
        let bytes = SystemCalls.read(descriptor, at: 0, count: 64) ?? []
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    }()

    /// Whether a record of this boot can be trusted to describe the page cache.
    static func isCurrent(_ boot: String) -> Bool { !boot.isEmpty && boot == current }
}
