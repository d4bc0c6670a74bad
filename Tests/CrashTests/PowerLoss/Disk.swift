import Foundation

/// The possible contents of the disk under a file after a power failure.
///
/// `durable` is the guaranteed content after the last sync. For each unit (a page of the page cache or a sector of the disk), any
/// later state may have reached the disk, independent of other units. A synchronous write brings the current state of its units
/// to the disk. After a sync that failed, Linux takes the pages for written, and a later sync does not write them again.
struct Disk {
    private struct Write {
        let offset: Int
        let bytes: Data
        let isSynchronous: Bool
    }

    private var durable = Data()
    /// The writes after the last sync.
    private var pending: [Write] = []
    /// Writes whose sync failed. The system takes their pages for written, so a later sync writes them only where a page has
    /// changed again.
    private var lost: [Write] = []
    /// The size of the file that programs see.
    private var byteCount = 0

    init() {}

    /// A file whose content is on the disk.
    init(durable: Data) {
        self.durable = durable
        byteCount = durable.count
    }

    /// The unit in which a lost page cache is divided.
    enum Unit: Int {
        /// The page cache writes complete pages.
        case page = 4_096
        /// The disk writes complete sectors, so a page may be torn.
        case sector = 512
    }

    /// Applies an operation that has returned.
    mutating func apply(_ operation: SyncLog.Operation) {
        switch operation {
        case .write(let offset, let bytes, let isSynchronous):
            add(Write(offset: offset, bytes: bytes, isSynchronous: isSynchronous))
        case .sync:
            var written: Set<Int> = []
            for write in pending { written.formUnion(Self.units(write, .page)) }
            for write in lost {
                for page in Self.units(write, .page) where written.contains(page) {
                    Self.put(Self.part(of: write, page, .page), in: &durable)
                }
            }
            lost = lost.flatMap { write in
                Self.units(write, .page).filter { !written.contains($0) }.map { Self.part(of: write, $0, .page) }
            }
            for write in pending { Self.put(write, in: &durable) }
            pending.removeAll()
            Self.extend(&durable, to: byteCount)
        case .failedSync:
            lost += pending
            pending.removeAll()
        // The files are never shortened: see the log's reader.
        case .truncate(let count): byteCount = max(byteCount, count)
        default: break
        }
    }

    /// Applies an operation that had begun and not returned, so part of it may have happened.
    mutating func begin(_ operation: SyncLog.Operation) {
        guard case .write(let offset, let bytes, _) = operation else { return }
        add(Write(offset: offset, bytes: bytes, isSynchronous: false))
    }

    private mutating func add(_ write: Write) {
        byteCount = max(byteCount, write.offset + write.bytes.count)
        pending.append(write)
    }

    /// Returns the content of the disk if each pending unit reached it with probability `chance`.
    ///
    /// - Parameters:
    ///   - chance: 0 for no unit, 1 for all of them.
    ///   - unit: The unit of writing.
    func image(chance: Double, unit: Unit, using random: inout some RandomNumberGenerator) -> Data {
        var image = durable
        // For each unit, the number of its writes that reached the disk. The cache wrote the unit back at some moment, with all
        // writes up to that moment.
        var touches: [Int: (all: Int, certain: Int)] = [:]
        let pending = lost + pending
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
                Self.put(Self.part(of: write, index, unit), in: &image)
            }
        }
        // The file's new size may reach the disk before the content of its new part.
        if Bool.random(using: &random) { Self.extend(&image, to: byteCount) }
        return image
    }

    private static func units(_ write: Write, _ unit: Unit) -> ClosedRange<Int> {
        write.offset / unit.rawValue...(write.offset + max(write.bytes.count, 1) - 1) / unit.rawValue
    }

    /// Returns the part of a write that is in a unit.
    private static func part(of write: Write, _ index: Int, _ unit: Unit) -> Write {
        let start = max(write.offset, index * unit.rawValue)
        let end = min(write.offset + write.bytes.count, (index + 1) * unit.rawValue)
        let base = write.bytes.startIndex - write.offset
        return Write(offset: start, bytes: write.bytes[base + start..<base + end], isSynchronous: write.isSynchronous)
    }

    private static func put(_ write: Write, in data: inout Data) {
        let end = write.offset + write.bytes.count
        extend(&data, to: end)
        data.replaceSubrange(write.offset..<end, with: write.bytes)
    }

    private static func extend(_ data: inout Data, to byteCount: Int) {
        if data.count < byteCount { data.append(Data(count: byteCount - data.count)) }
    }
}
