#if Etcd
import ModelStoreReplication
import StoreEngine

/// The keys of a log in an etcd cluster, all with the prefix `/modelstore/NAME/`.
///
/// ```
/// head             the newest position
/// floor            the position of the newest entry that was removed
/// log/INDEX        an entry; the index is 8 bytes, big endian
/// register/KEY     a register
/// ```
struct EtcdKeys: Sendable {
    let head: [UInt8]
    let floor: [UInt8]
    private let log: [UInt8]
    private let register: [UInt8]

    init(name: String) {
        let prefix = "/modelstore/\(name)/"
        head = Array((prefix + "head").utf8)
        floor = Array((prefix + "floor").utf8)
        log = Array((prefix + "log/").utf8)
        register = Array((prefix + "register/").utf8)
    }

    func entry(_ index: UInt64) -> [UInt8] {
        log + (0..<8).map { UInt8(truncatingIfNeeded: index >> (56 - 8 * UInt64($0))) }
    }

    func register(_ key: String) -> [UInt8] { register + Array(key.utf8) }

    /// Returns the key of a register from its key in the cluster.
    func registerKey(_ key: some Sequence<UInt8>) -> String {
        String(decoding: Array(key).dropFirst(register.count), as: UTF8.self)
    }

    /// The first key after all with a prefix.
    static func end(of prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            if last < 255 { return end + [last + 1] }
        }
        return [0]
    }
}

extension LogPosition {
    /// Reads a position that the cluster keeps.
    init(stored bytes: some Sequence<UInt8>) throws(SharedLogError) {
        let bytes = Array(bytes)
        do throws(CodecError) {
            var reader = unsafe ByteReader(bytes.span.bytes)
            self = try LogPosition(from: &reader)
        } catch {
            throw SharedLogError(.damaged, "a position of the log in etcd cannot be read: \(error.reason)")
        }
    }

    /// The bytes that the cluster keeps.
    var stored: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        encode(to: &writer)
        return writer.array()
    }
}
#endif
