import Foundation

/// The operations of a program on all files and names in a folder, as the preloaded library SyncLog recorded them.
///
/// A node is a file or a directory. Its number stays the same when names change, and the folder itself has the number 0.
struct FolderLog {
    /// A change of names that happens as a whole: names in directories that lead to another node, or to none.
    struct NameChange {
        struct Entry {
            let directory: Int
            let name: String
            let node: Int?
        }

        let entries: [Entry]
        /// The file that it creates.
        var newFile: Int? = nil
    }

    /// One recorded operation.
    enum Step {
        case content(file: Int, SyncLog.Operation)
        case names(NameChange)
        /// All earlier changes of the names in a directory are on the disk.
        case directorySync(Int)
        /// Output of the program.
        case mark(String)

        /// Whether the step changes names, or makes something durable.
        var isStructural: Bool {
            switch self {
            case .names, .directorySync, .content(_, .sync): true
            default: false
            }
        }

        var changesDisk: Bool {
            switch self {
            case .content(_, let operation): operation.changesDisk
            case .names, .directorySync: true
            case .mark: false
            }
        }
    }

    /// The content of a folder before the program started, which is on the disk.
    struct Beginning {
        var files: [Int: Data] = [:]
        var directories: [Int: [String: Int]] = [0: [:]]
        fileprivate var nodes: [UInt64: Int] = [:]
        fileprivate var count = 1

        init(of folder: String) throws { try add(folder, as: 0) }

        /// A folder with one file without content, which has the number 1.
        fileprivate init(file name: String) {
            files = [1: Data()]
            directories = [0: [name: 1]]
        }

        private mutating func add(_ folder: String, as directory: Int) throws {
            directories[directory] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
                let path = folder + "/" + name
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let node = count
                count += 1
                directories[directory]?[name] = node
                if attributes[.type] as? FileAttributeType == .typeDirectory {
                    try add(path, as: node)
                } else {
                    nodes[(attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0] = node
                    files[node] = try Data(contentsOf: URL(fileURLWithPath: path))
                }
            }
        }
    }

    let beginning: Beginning
    private(set) var steps: [Step] = []

    /// Reads the log of a program that ran in a folder.
    init(contentsOf path: String, folder: String, beginning: Beginning) throws {
        self.beginning = beginning
        var reading = FolderReading(folder: folder, beginning: beginning)
        for record in try SyncLogRecord.all(contentsOf: path) {
            if let step = try reading.step(record) { steps.append(step) }
        }
    }

    /// Creates the log of a folder from that of its data file alone.
    init(dataFile log: SyncLog) {
        beginning = Beginning(file: "data.mdb")
        steps = log.operations.map { operation in
            if case .mark(let text) = operation { .mark(text) } else { .content(file: 1, operation) }
        }
    }

    /// Returns the log as if the system had not performed the syncs of a file, from the moment when the program has opened its
    /// store.
    func without(syncsOf name: String) -> FolderLog {
        var log = self
        let files = nodes(named: name)
        var isMade = false
        log.steps = steps.filter { step in
            switch step {
            case .mark: isMade = true
            case .content(let file, .sync) where isMade: return !files.contains(file)
            default: break
            }
            return true
        }
        return log
    }

    /// Returns the offsets of the writes to a file, in their order.
    func writeOffsets(to name: String) -> [Int] {
        let files = nodes(named: name)
        return steps.compactMap { step in
            guard case .content(let file, .write(let offset, _, _)) = step, files.contains(file) else { return nil }
            return offset
        }
    }

    /// Returns the nodes that have a name in any directory at any time.
    private func nodes(named name: String) -> Set<Int> {
        var nodes = Set(beginning.directories.values.compactMap { $0[name] })
        for case .names(let change) in steps {
            nodes.formUnion(change.entries.filter { $0.name == name }.compactMap(\.node))
        }
        return nodes
    }

    /// Returns the log without the effect of a call. It shows that the test would notice a program that does not make it.
    func without(_ promise: BrokenPromise) -> FolderLog {
        var log = self
        log.steps = steps.filter { step in
            switch (promise, step) {
            case (.directorySync, .directorySync), (.sync, .content(_, .sync)): false
            default: true
            }
        }
        return log
    }

    /// A call that a program might omit.
    enum BrokenPromise: CaseIterable {
        case sync, directorySync
    }

    /// Follows the names in the folder from record to record.
    private struct FolderReading {
        private let folder: String
        private var directories: [Int: [String: Int]]
        private var nodes: [UInt64: Int]
        private var byteCounts: [Int: Int]
        private var count: Int

        init(folder: String, beginning: Beginning) {
            self.folder = folder
            directories = beginning.directories
            nodes = beginning.nodes
            byteCounts = beginning.files.mapValues(\.count)
            count = beginning.count
        }

        /// Returns the step of a record; nil if it changes nothing.
        mutating func step(_ record: SyncLogRecord) throws -> Step? {
            switch record.kind {
            case 1, 5: return nil
            case 6: return .mark(record.text)
            case 7:
                guard record.text == folder || record.text.hasPrefix(folder + "/") else { return nil }
                return .directorySync(try directory(at: record.text))
            case 8: throw SyncLogRecord.Malformed(description: "\(record.text) on a file in the folder")
            case 9, 10:
                let node = newNode(record)
                return try change([(record.text, node)], newFile: record.kind == 9 ? node : nil)
            case 11: return try change([(record.text, nil)])
            case 12, 13:
                guard let old = record.texts.first, let new = record.texts.last, let moved = try node(at: old) else {
                    throw SyncLogRecord.Malformed(description: "\(record.texts) are not two names")
                }
                if record.kind == 13 { return try change([(new, moved)]) }
                let replaced = record.flags & 1 != 0 ? try node(at: new) : nil
                return try change([(old, replaced), (new, moved)])
            default: return try content(record)
            }
        }

        private mutating func content(_ record: SyncLogRecord) throws -> Step {
            guard let file = nodes[record.file] else {
                throw SyncLogRecord.Malformed(description: "an operation on the unknown file \(record.file)")
            }
            let operation = try SyncLog.operation(record)
            switch operation {
            case .write(let offset, let bytes, _):
                byteCounts[file] = max(byteCounts[file] ?? 0, offset + bytes.count)
            case .truncate(let byteCount):
                // The model of the disk has no shorter files.
                guard byteCount >= byteCounts[file] ?? 0 else {
                    throw SyncLogRecord.Malformed(description: "a file is cut to \(byteCount) bytes")
                }
                byteCounts[file] = byteCount
            default: break
            }
            return .content(file: file, operation)
        }

        private mutating func newNode(_ record: SyncLogRecord) -> Int {
            let node = count
            count += 1
            if record.kind == 10 { directories[node] = [:] } else { nodes[record.file] = node }
            return node
        }

        private mutating func change(_ names: [(path: String, node: Int?)], newFile: Int? = nil) throws -> Step {
            var entries: [NameChange.Entry] = []
            for (path, node) in names {
                let name = (path as NSString).lastPathComponent
                let place = try directory(at: (path as NSString).deletingLastPathComponent)
                directories[place]?[name] = node
                entries.append(NameChange.Entry(directory: place, name: name, node: node))
            }
            return .names(NameChange(entries: entries, newFile: newFile))
        }

        private func directory(at path: String) throws -> Int {
            guard let node = try node(at: path) else {
                throw SyncLogRecord.Malformed(description: "there is no directory \(path)")
            }
            return node
        }

        private func node(at path: String) throws -> Int? {
            guard path == folder || path.hasPrefix(folder + "/") else {
                throw SyncLogRecord.Malformed(description: "\(path) is not in the folder")
            }
            var node: Int? = 0
            for name in path.dropFirst(folder.count).split(separator: "/") {
                node = node.flatMap { directories[$0]?[String(name)] }
            }
            return node
        }
    }
}
