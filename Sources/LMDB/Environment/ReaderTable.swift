/// The slots of readers in the mapped lock file.
///
/// LMDB 0.9 has the number of used slots at byte 56, and slots of 64 bytes from byte 128 on: the transaction, the process and the
/// thread. LMDB itself looks for its oldest reader in the same way, without a lock.
struct ReaderTable {
    private static let countOffset: UInt = 56
    private static let slotsOffset: UInt = 128
    private static let slotByteCount: UInt = 64
    private static let processOffset: UInt = 8

    private let start: UInt
    private let slotCount: Int

    /// - Parameters:
    ///   - lock: the writer lock of an open environment, which is in the same file.
    ///   - slotCount: how many slots the file has.
    init(_ lock: WriterLock, slotCount: Int) {
        start = lock.fileStart
        self.slotCount = slotCount
    }

    /// The commit of the oldest reader; nil if there is none.
    var oldest: UInt64? {
        var oldest: UInt64?
        let used = min(Int(load(Self.countOffset, as: UInt32.self)), slotCount)
        for index in 0..<UInt(used) {
            let slot = Self.slotsOffset + index * Self.slotByteCount
            guard load(slot + Self.processOffset, as: UInt32.self) != 0 else { continue }
            let transaction = load(slot, as: UInt64.self)
            // The number of a slot without a transaction is the largest.
            if transaction != .max { oldest = min(oldest ?? .max, transaction) }
        }
        return oldest
    }

    private func load<Value: FixedWidthInteger>(_ offset: UInt, as type: Value.Type) -> Value {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: start + offset) else { return 0 }
        return unsafe pointer.load(as: Value.self)
    }
}
