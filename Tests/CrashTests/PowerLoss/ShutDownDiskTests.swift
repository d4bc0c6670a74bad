import ChildPrograms
import Foundation
import Glibc
import TestSupport
import Testing

/// A real file system that loses its unwritten pages without a reboot: ext4 in an image, on a loop device, ended by its shutdown
/// call while two processes write, and mounted again.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 10))) struct ShutDownDiskTests {
    /// An image with a file system, mounted in the mount namespace of this process.
    private final class Image {
        let directory: ScratchDirectory
        let path: String
        private var image: String

        static let isAvailable: Bool = {
            guard geteuid() == 0, Python.interpreter != nil, Command.find(["mkfs.ext4"]) != nil else { return false }
            return (try? Image())?.unmount() ?? false
        }()

        init() throws {
            directory = try ScratchDirectory()
            image = directory.path("image")
            path = directory.path("disk")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            _ = FileManager.default.createFile(atPath: image, contents: nil)
            try FileHandle(forWritingTo: URL(fileURLWithPath: image)).truncate(atOffset: 96 << 20)
            try Command.run("/sbin/mkfs.ext4", ["-q", "-F", image])
            try mount()
        }

        deinit { _ = unmount() }

        func mount() throws { try Command.run("/bin/mount", ["-o", "loop", image, path]) }

        /// Mounts a copy of the image. Mount namespaces of other tests may still have the file system that was shut down.
        func mountCopy() throws {
            let copy = directory.path("copy")
            try FileManager.default.copyItem(atPath: image, toPath: copy)
            image = copy
            try mount()
        }

        @discardableResult
        func unmount() -> Bool { (try? Command.run("/bin/umount", [path])) != nil }

        /// Writes back random pages of a file, and then ends the file system without anything else that is unwritten.
        func shutDown(writingBack file: String, seed: UInt64) throws {
            let script = """
                import ctypes, fcntl, os, random, struct, sys
                random.seed(int(sys.argv[3]))
                lib = ctypes.CDLL(None, use_errno=True)
                fd = os.open(sys.argv[2], os.O_RDWR)
                pages = os.fstat(fd).st_size // 4096
                chance = random.choice([0, 0.1, 0.5, 1])
                for page in range(pages):
                    if random.random() < chance:
                        lib.sync_file_range(fd, ctypes.c_int64(page * 4096), ctypes.c_int64(4096), 7)
                os.close(fd)
                # EXT4_IOC_SHUTDOWN without a flush of the journal.
                root = os.open(sys.argv[1], os.O_RDONLY)
                fcntl.ioctl(root, 0x8004587D, struct.pack("I", 2))
                """
            try Command.run(
                try #require(Python.interpreter), ["-c", script, path, file, String(seed)])
        }
    }

    @Test(.enabled(if: Image.isAvailable, "needs root, loop devices and mkfs.ext4"), arguments: [1 << 16, 16 << 20])
    func `nothing that was acknowledged is lost with the unwritten pages of a file system`(redoLog: Int) throws {
        let rounds = TestLength.runs(2, long: 50)
        var (acknowledgedCount, random) = (0, TestRandom(seed: TestRun.seed))
        let checker = StoreChecker()
        for round in 1...rounds {
            let image = try Image()
            let store = image.path + "/store"
            let workers = try [["a", "b"], ["c"]].map {
                try CrashWorker.write(store, "full", lanes: $0, environment: ["REDO_LOG": "\(redoLog)"])
            }
            defer { for worker in workers { worker.kill() } }
            var acknowledged: [Acknowledgement] = []
            let count = Int.random(in: 5...120, using: &random)
            while acknowledged.count < count {
                for worker in workers {
                    guard let line = worker.nextLine() else { throw Command.Failed(description: "a worker ended") }
                    if let write = Acknowledgement(line) { acknowledged.append(write) }
                }
            }
            try image.shutDown(writingBack: store + "/data.mdb", seed: random.next())
            for worker in workers {
                worker.kill()
                acknowledged += worker.remainingLines().compactMap(Acknowledgement.init)
            }
            #expect(image.unmount())
            try image.mountCopy()
            // The list of the checker must not take a number that the store needs.
            guard case .sound(let sound) = try checker.check(store, acknowledged: acknowledged) else {
                Issue.record("round \(round), MODELSTORE_SEED=\(TestRun.seed)")
                continue
            }
            let newest = acknowledged.map(\.sequence).max() ?? 0
            // The checker has written to the store since.
            #expect(sound.sequence >= newest, "round \(round), MODELSTORE_SEED=\(TestRun.seed)")
            acknowledgedCount += acknowledged.count
        }
        TestRun.note("\(rounds) file systems shut down, \(acknowledgedCount) acknowledged writes kept")
    }
}
