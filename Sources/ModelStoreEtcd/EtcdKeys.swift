#if Etcd
import ModelStoreReplication
import StoreEngine

/// The keys of a log in an etcd cluster, all with the prefix `/modelstore/NAME/`.
///
/// ```
/// head             the newest position
/// floor            the position of the newest entry that was removed
/// log/INDEX        an entry, or the note of a long one (EtcdEntryNote); the index is 8 bytes, big endian
/// part/INDEX/ID/N  a part of a long entry, without the slashes after part/: its index, its write id in 16 bytes, and the part's
///                  number in 4 bytes, big endian
/// register/KEY     a register
/// ```
struct EtcdKeys: Sendable {
    let head: [UInt8]
    let floor: [UInt8]
    private let log: [UInt8]
    private let part: [UInt8]
    private let register: [UInt8]

    init(name: String) {
        let prefix = "/modelstore/\(name)/"
        head = Array((prefix + "head").utf8)
        floor = Array((prefix + "floor").utf8)
        log = Array((prefix + "log/").utf8)
        part = Array((prefix + "part/").utf8)
        register = Array((prefix + "register/").utf8)
    }

    func entry(_ index: UInt64) -> [UInt8] { log + index.bigEndianBytes }

    /// Returns the index in the key of an entry.
    func index(ofEntry key: some Sequence<UInt8>) -> UInt64 {
        Array(key).dropFirst(log.count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The beginning of the keys of all parts of an index, whatever their entry.
    func parts(_ index: UInt64) -> [UInt8] { part + index.bigEndianBytes }

    /// The beginning of the keys of the parts of an entry.
    func parts(_ index: UInt64, of writeID: WriteID) -> [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writeID.uuid.encode(to: &writer)
        return parts(index) + writer.array()
    }

    func part(_ number: UInt32, _ index: UInt64, of writeID: WriteID) -> [UInt8] {
        parts(index, of: writeID) + number.bigEndianBytes
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

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
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
