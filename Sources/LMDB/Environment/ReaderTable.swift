internal import Glibc

/// The slots of readers in the mapped lock file.
///
/// LMDB 0.9 has the number of used slots at byte 56, and slots of 64 bytes from byte 128 on: the transaction, the process and the
/// thread. LMDB itself looks for its oldest reader in the same way, without a lock.
struct ReaderTable {
    private static let countOffset: UInt = 56
    private static let slotsOffset: UInt = 128
    private static let slotByteCount: UInt = 64
    private static let processOffset: UInt = 8
    private static let threadOffset: UInt = 16
    /// LMDB uses the first 24 bytes of a slot only.
    private static let markOffset: UInt = 32
    /// With the number of a transaction it makes the mark of a pin. A slot's next transaction has another number.
    private static let pinMark: UInt64 = 0x4E49_505F_4F44_4552

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
        for slot in usedSlots {
            let transaction = load(slot, as: UInt64.self)
            // The number of a slot without a transaction is the largest.
            if transaction != .max { oldest = min(oldest ?? .max, transaction) }
        }
        return oldest
    }

    private var usedSlots: [UInt] {
        let used = min(Int(load(Self.countOffset, as: UInt32.self)), slotCount)
        return (0..<UInt(used)).map { Self.slotsOffset + $0 * Self.slotByteCount }
            .filter { load($0 + Self.processOffset, as: UInt32.self) != 0 }
    }

    // MARK: Pins

    /// The slots of transactions that this thread has begun, and of those that wait in a pool.
    var slotsOfThisThread: Set<UInt> {
        let process = UInt32(bitPattern: getpid())
        let thread = UInt64(SystemCalls.currentThread)
        return Set(
            usedSlots.filter {
                load($0 + Self.processOffset, as: UInt32.self) == process
                    && load($0 + Self.threadOffset, as: UInt64.self) == thread
            })
    }

    /// Marks a slot of this process as that of a redo log's pin, or takes the mark away.
    func mark(_ slot: UInt, isPin: Bool) {
        guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: start + slot + Self.markOffset) else { return }
        unsafe pointer.storeBytes(of: isPin ? Self.pinMark ^ load(slot, as: UInt64.self) : 0, as: UInt64.self)
    }

    /// The pins of all processes.
    var pins: [LMDBReader] {
        usedSlots.compactMap { slot in
            let transaction = load(slot, as: UInt64.self)
            guard load(slot + Self.markOffset, as: UInt64.self) == Self.pinMark ^ transaction else { return nil }
            return LMDBReader(
                processID: Int32(bitPattern: load(slot + Self.processOffset, as: UInt32.self)),
                threadID: UInt(load(slot + Self.threadOffset, as: UInt64.self)), transactionID: Int(transaction),
                isPin: true)
        }
    }

    private func load<Value: FixedWidthInteger>(_ offset: UInt, as type: Value.Type) -> Value {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: start + offset) else { return 0 }
        return unsafe pointer.load(as: Value.self)
    }
}
