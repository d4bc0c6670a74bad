import Foundation

/// What the disk under a file may hold when the power goes.
///
/// `durable` is what it held for sure after the last sync. Of each unit (a page of the page cache, or a sector of the
/// disk) any state since then may have got there, independent of all other units; but a synchronous write takes its
/// units there as they are then.
struct Disk {
    private struct Write {
        let offset: Int
        let bytes: Data
        let isSynchronous: Bool
    }

    private var durable = Data()
    /// The writes after the last sync.
    private var pending: [Write] = []
    /// The size of the file as programs see it.
    private var byteCount = 0

    /// How a lost page cache is cut.
    enum Unit: Int {
        /// The page cache writes whole pages.
        case page = 4_096
        /// The disk writes whole sectors: a page may be torn.
        case sector = 512
    }

    /// Follows an operation that has returned.
    mutating func apply(_ operation: SyncLog.Operation) {
        switch operation {
        case .write(let offset, let bytes, let isSynchronous):
            add(Write(offset: offset, bytes: bytes, isSynchronous: isSynchronous))
        case .sync:
            for write in pending { Self.put(write.bytes, at: write.offset, in: &durable) }
            pending.removeAll()
            Self.extend(&durable, to: byteCount)
        default: break
        }
    }

    /// Follows an operation that had begun and not returned: it may have happened in part.
    mutating func begin(_ operation: SyncLog.Operation) {
        guard case .write(let offset, let bytes, _) = operation else { return }
        add(Write(offset: offset, bytes: bytes, isSynchronous: false))
    }

    private mutating func add(_ write: Write) {
        byteCount = max(byteCount, write.offset + write.bytes.count)
        pending.append(write)
    }

    /// What the disk holds when `chance` of the pending units got there.
    ///
    /// - Parameters:
    ///   - chance: 0 for none of them, 1 for all.
    ///   - unit: how they are cut.
    func image(chance: Double, unit: Unit, using random: inout some RandomNumberGenerator) -> Data {
        var image = durable
        // For each unit: how many of the writes that touch it got there. It was written back at some moment, and then
        // held all writes until that moment.
        var touches: [Int: (all: Int, certain: Int)] = [:]
        for write in pending {
            for index in Self.units(write, unit) {
                let all = touches[index, default: (0, 0)].all + 1
                touches[index] = (all, write.isSynchronous ? all : touches[index]?.certain ?? 0)
            }
        }
        var left: [Int: Int] = [:]
        for (index, touch) in touches.sorted(by: { $0.key < $1.key }) {
            let isKept = Double.random(in: 0..<1, using: &random) < chance
            let latest = chance == 1 ? touch.all : Int.random(in: max(touch.certain, 1)...touch.all, using: &random)
            left[index] = isKept ? latest : touch.certain
        }
        for write in pending {
            for index in Self.units(write, unit) {
                guard let count = left[index], count > 0 else { continue }
                left[index] = count - 1
                let start = max(write.offset, index * unit.rawValue)
                let end = min(write.offset + write.bytes.count, (index + 1) * unit.rawValue)
                let base = write.bytes.startIndex - write.offset
                Self.put(write.bytes[base + start..<base + end], at: start, in: &image)
            }
        }
        // The file's new size may have got there before what is in the new part.
        if Bool.random(using: &random) { Self.extend(&image, to: byteCount) }
        return image
    }

    private static func units(_ write: Write, _ unit: Unit) -> ClosedRange<Int> {
        write.offset / unit.rawValue...(write.offset + max(write.bytes.count, 1) - 1) / unit.rawValue
    }

    private static func put(_ bytes: Data, at offset: Int, in data: inout Data) {
        extend(&data, to: offset + bytes.count)
        data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    private static func extend(_ data: inout Data, to byteCount: Int) {
        if data.count < byteCount { data.append(Data(count: byteCount - data.count)) }
    }
}
