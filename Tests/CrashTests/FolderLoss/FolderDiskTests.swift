import Foundation
import TestSupport
import Testing

/// The model on which the tests of commands are based.
@Suite struct FolderDiskTests {
    private typealias Change = FolderLog.NameChange

    private let directory: ScratchDirectory
    private let beginning: FolderLog.Beginning

    init() throws {
        directory = try ScratchDirectory()
        beginning = try FolderLog.Beginning(of: directory.path)
    }

    @Test func `a new name is on the disk once its directory was synced, and a sync of the file says nothing about it`()
    {
        var disk = FolderDisk(beginning)
        disk.apply(name("a", 1))
        disk.apply(.content(file: 1, .write(offset: 0, bytes: Data("x".utf8), isSynchronous: false)))
        disk.apply(.content(file: 1, .sync))
        #expect(Set(images(of: disk).map(\.files)) == [[:], ["/a": Data("x".utf8)]])
        disk.apply(.directorySync(0))
        #expect(Set(images(of: disk).map(\.files)) == [["/a": Data("x".utf8)]])
    }

    @Test func `a file whose name is on the disk may be empty without a sync of its content`() {
        var disk = FolderDisk(beginning)
        disk.apply(name("a", 1))
        disk.apply(.directorySync(0))
        disk.apply(.content(file: 1, .write(offset: 0, bytes: Data("x".utf8), isSynchronous: false)))
        let contents = Set(images(of: disk).map { $0.files["/a"] })
        #expect(contents.isSuperset(of: [Data(), Data("x".utf8)]) && !contents.contains(nil))
    }

    @Test func `names reach the disk in the order of a journal, or in any order`() {
        var disk = FolderDisk(beginning)
        for (place, text) in ["a", "b"].enumerated() {
            disk.apply(name(text, place + 1))
            disk.apply(.content(file: place + 1, .write(offset: 0, bytes: Data("x".utf8), isSynchronous: true)))
        }
        let journal: Set<Set<String>> = [[], ["/a"], ["/a", "/b"]]
        #expect(Set(images(of: disk, .journal).map { Set($0.files.keys) }) == journal)
        #expect(Set(images(of: disk, .any).map { Set($0.files.keys) }) == journal.union([["/b"]]))
    }

    @Test func `a rename happens as a whole, also between two directories`() {
        var disk = FolderDisk(beginning)
        disk.apply(.names(Change(entries: [.init(directory: 0, name: "d", node: 1)])))
        disk.apply(.names(Change(entries: [.init(directory: 1, name: "a", node: 2)], newFile: 2)))
        disk.apply(.content(file: 2, .write(offset: 0, bytes: Data("x".utf8), isSynchronous: true)))
        disk.apply(.directorySync(0))
        disk.apply(.directorySync(1))
        disk.apply(
            .names(
                Change(entries: [.init(directory: 1, name: "a", node: nil), .init(directory: 0, name: "a", node: 2)])))
        #expect(Set(images(of: disk).map { Set($0.files.keys) }) == [["/d/a"], ["/a"]])
        disk.apply(.directorySync(0))
        #expect(Set(images(of: disk).map { Set($0.files.keys) }) == [["/a"]])
    }

    @Test func `a log names the nodes of its paths`() throws {
        let folder = directory.path("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let beginning = try FolderLog.Beginning(of: folder)
        #expect(beginning.files.isEmpty && beginning.directories == [0: [:]])
        try Data().write(to: URL(fileURLWithPath: directory.path("log")))
        #expect(try FolderLog(contentsOf: directory.path("log"), folder: folder, beginning: beginning).steps.isEmpty)
    }

    private func name(_ name: String, _ node: Int) -> FolderLog.Step {
        .names(Change(entries: [.init(directory: 0, name: name, node: node)], newFile: node))
    }

    private func images(of disk: FolderDisk, _ order: FolderDisk.NameOrder? = nil) -> [FolderDisk.Image] {
        var random = TestRandom(seed: 1)
        return (0..<200).map { number in
            disk.image(
                chance: [0, 0.5, 1][number % 3], unit: .page,
                order: order ?? FolderDisk.NameOrder.allCases[number % 2], using: &random)
        }
    }
}
