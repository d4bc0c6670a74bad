import Foundation
import TestSupport

/// The possible contents of the disk under a folder after a power failure: those of each file, as ``Disk`` has them, and the
/// names.
///
/// A change of names is on the disk once one of its directories was synced afterwards. It happens as a whole. A sync of a file
/// says nothing about its name.
struct FolderDisk {
    /// The order in which changes of names reach the disk.
    enum NameOrder: CaseIterable {
        /// The order of the calls, over all directories: a journal, as ext4, XFS and Btrfs have it.
        case journal
        /// Any order.
        case any
    }

    /// A folder's content.
    struct Image: Equatable {
        var files: [String: Data] = [:]
        var directories: Set<String> = []
    }

    private var files: [Int: Disk]
    private let directories: [Int: [String: Int]]
    private var changes: [(change: FolderLog.NameChange, isDurable: Bool)] = []

    init(_ beginning: FolderLog.Beginning) {
        files = beginning.files.mapValues { Disk(durable: $0) }
        directories = beginning.directories
    }

    /// Applies a step that has returned.
    mutating func apply(_ step: FolderLog.Step) {
        switch step {
        case .content(let file, let operation): files[file, default: Disk()].apply(operation)
        case .names(let change): add(change)
        case .directorySync(let directory):
            for index in changes.indices
            where changes[index].change.entries.contains(where: { $0.directory == directory }) {
                changes[index].isDurable = true
            }
        case .mark: break
        }
    }

    private mutating func add(_ change: FolderLog.NameChange) {
        if let file = change.newFile { files[file] = Disk() }
        changes.append((change, false))
    }

    /// Applies a step that had begun and not returned, so part of it may have happened.
    mutating func begin(_ step: FolderLog.Step) {
        switch step {
        case .content(let file, let operation): files[file, default: Disk()].begin(operation)
        case .names(let change): add(change)
        case .directorySync, .mark: break
        }
    }

    /// Returns the content of the disk if each pending unit of a file, and each pending change of names, reached it with
    /// probability `chance`. In a journal, all changes up to a random one have reached it.
    func image(
        chance: Double, unit: Disk.Unit, order: NameOrder, using random: inout some RandomNumberGenerator
    ) -> Image {
        let names = names(chance, order, using: &random)
        var contents: [Int: Data] = [:]
        var image = Image()
        func add(_ directory: Int, at path: String) {
            for (name, node) in (names[directory] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let place = path + "/" + name
                if let file = files[node] {
                    let content = contents[node] ?? file.image(chance: chance, unit: unit, using: &random)
                    contents[node] = content
                    image.files[place] = content
                } else {
                    image.directories.insert(place)
                    add(node, at: place)
                }
            }
        }
        add(0, at: "")
        return image
    }

    private func names(
        _ chance: Double, _ order: NameOrder, using random: inout some RandomNumberGenerator
    ) -> [Int: [String: Int]] {
        var names = directories
        let durableCount = (changes.lastIndex { $0.isDurable } ?? -1) + 1
        let journaledCount =
            chance == 1 ? changes.count : Int.random(in: durableCount...changes.count, using: &random)
        for (index, (change, isDurable)) in changes.enumerated() {
            let isKept =
                switch order {
                case .journal: index < journaledCount
                case .any: isDurable || Double.random(in: 0..<1, using: &random) < chance
                }
            guard isKept else { continue }
            for entry in change.entries { names[entry.directory, default: [:]][entry.name] = entry.node }
        }
        return names
    }
}

extension FolderDisk.Image {
    /// Reads a folder.
    init(of folder: String) throws { try add(folder, at: "") }

    private mutating func add(_ folder: String, at path: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder + path) {
            let place = path + "/" + name
            var isDirectory: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: folder + place, isDirectory: &isDirectory)
            if isDirectory.boolValue {
                directories.insert(place)
                try add(folder, at: place)
            } else {
                files[place] = try Data(contentsOf: URL(fileURLWithPath: folder + place))
            }
        }
    }

    /// Makes a folder with this content, and removes an existing one first.
    func write(to folder: String) throws {
        try? FileManager.default.removeItem(atPath: folder)
        for directory in [""] + directories.sorted() {
            try FileManager.default.createDirectory(atPath: folder + directory, withIntermediateDirectories: true)
        }
        for (name, content) in files {
            try content.write(to: URL(fileURLWithPath: folder + name))
        }
    }

    /// The image without the files that programs also write through maps, which no log follows.
    var withoutMappedFiles: Self {
        var image = self
        image.files = files.filter { !$0.key.hasSuffix("/lock.mdb") && !$0.key.hasSuffix("/feed.wake") }
        return image
    }
}
