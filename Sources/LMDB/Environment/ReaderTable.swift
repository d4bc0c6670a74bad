internal import Glibc

/// The slots of readers in the mapped lock file: for each its transaction, its process and its thread.
///
/// LMDB keeps all pages that the oldest slot may need. It looks for that slot without a lock, as this type does.
struct ReaderTable {
    private static let slotByteCount = 64
    private static let processOffset = 8
    private static let threadOffset = 16
    /// LMDB uses the first 24 bytes of a slot only.
    private static let markOffset = 32
    /// With the process and the thread it makes the mark of a pin, so that the mark of an ended process is none.
    private static let pinMark: UInt64 = 0x4E49_505F_4F44_4552

    private let map: LockFileMap
    private let slotCount: Int

    /// - Parameter slotCount: how many slots the file has.
    init(_ map: LockFileMap, slotCount: Int) {
        self.map = map
        self.slotCount = slotCount
    }

    /// The commit of the oldest reader; nil if there is none.
    var oldest: UInt64? {
        // The number of a slot without a transaction is the largest.
        usedSlots.map(transaction).filter { $0 != .max }.min()
    }

    private var allSlots: [Int] {
        let used = min(Int(map.load(LockFileMap.countOffset, as: UInt32.self)), slotCount)
        return (0..<used).map { LockFileMap.slotsOffset + $0 * Self.slotByteCount }
    }

    private var usedSlots: [Int] { allSlots.filter { process($0) != 0 } }

    private func transaction(_ slot: Int) -> UInt64 { map.load(slot, as: UInt64.self) }
    private func process(_ slot: Int) -> UInt32 { map.load(slot + Self.processOffset, as: UInt32.self) }
    private func thread(_ slot: Int) -> UInt64 { map.load(slot + Self.threadOffset, as: UInt64.self) }
    private func mark(_ slot: Int) -> UInt64 { Self.pinMark ^ UInt64(process(slot)) << 32 ^ thread(slot) }

    // MARK: Slots of this process

    /// Frees the slots that have the number of this process, before its first transaction: they were left by an ended process
    /// that had the number. LMDB takes them for slots of this process, and keeps them as long as it runs.
    ///
    /// - Returns: false, without a change, if a running process of another pid namespace has the number.
    func clearLeftovers(ofProcess own: Int32 = getpid()) -> Bool {
        let left = allSlots.filter { process($0) == UInt32(bitPattern: own) }
        // LMDB leaves the marks of slots that it frees. A writer of another process may take such a slot meanwhile, and its mark
        // stays.
        for slot in allSlots {
            let mark = map.load(slot + Self.markOffset, as: UInt64.self)
            if mark != 0, process(slot) == 0 { map.exchange(mark, for: 0, at: slot + Self.markOffset) }
        }
        guard !left.isEmpty else { return true }
        guard !map.isInUse(byOtherProcess: own) else { return false }
        for slot in left {
            unpin(slot)
            map.store(UInt64.max, at: slot)
            map.store(UInt32(0), at: slot + Self.processOffset)
        }
        return true
    }

    /// The slots of transactions that this thread has begun, and of those that wait in a pool.
    var slotsOfThisThread: Set<Int> {
        let own = UInt32(bitPattern: getpid())
        let thread = UInt64(SystemCalls.currentThread)
        return Set(usedSlots.filter { process($0) == own && self.thread($0) == thread })
    }

    // MARK: Pins

    /// Makes a slot of this process a pin on a commit, which may be older than the one that the slot's transaction reads.
    func pin(_ slot: Int, on transaction: UInt64) {
        map.store(mark(slot), at: slot + Self.markOffset)
        map.store(transaction, at: slot)
    }

    /// Takes the mark of a pin away. The end of its transaction frees the slot.
    func unpin(_ slot: Int) { map.store(UInt64(0), at: slot + Self.markOffset) }

    /// Whether a slot is still a pin of this process.
    func isOwnPin(_ slot: Int) -> Bool { process(slot) == UInt32(bitPattern: getpid()) && isPin(slot) }

    private func isPin(_ slot: Int) -> Bool {
        map.load(slot + Self.markOffset, as: UInt64.self) == mark(slot) && transaction(slot) != .max
    }

    /// Moves the pins of all processes forward to a commit.
    ///
    /// A slot that its process gives up meanwhile, and that a reader takes, has a newer commit than the pin had. So it is left
    /// alone.
    func movePins(to transaction: UInt64) {
        for slot in usedSlots where isPin(slot) {
            let pinned = self.transaction(slot)
            if pinned < transaction { map.exchange(pinned, for: transaction, at: slot) }
        }
    }

    /// The pins of all processes.
    var pins: [LMDBReader] {
        usedSlots.filter(isPin).map { slot in
            LMDBReader(
                processID: Int32(bitPattern: process(slot)), threadID: UInt(thread(slot)),
                transactionID: Int(transaction(slot)), isPin: true)
        }
    }

    /// Whether another process than this one has a pin.
    var hasForeignPin: Bool {
        let own = UInt32(bitPattern: getpid())
        return usedSlots.contains { process($0) != own && isPin($0) }
    }
}
