/// The boot of the system, which a replica's file is told apart by.
///
/// `proc_sys_kernel(5)`: `/proc/sys/kernel/random/boot_id`.
package enum BootIdentity {
    /// The kernel's boot id; empty if the system does not tell.
    package static let current: String = {
        guard let descriptor = SystemCalls.openToRead("/proc/sys/kernel/random/boot_id") else { return "" }
        defer { SystemCalls.close(descriptor) }
        let bytes = SystemCalls.read(descriptor, at: 0, count: 64) ?? []
        return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
    }()
}
