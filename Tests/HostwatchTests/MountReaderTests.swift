import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Hostwatch

@Suite("Mounts")
struct MountReaderTests {
    @Test("optional fields, escapes and both kinds of options are understood")
    func fixture() throws {
        let list = #"""
            27 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw,errors=remount-ro
            36 27 98:0 /m /mnt/with\040space\011and\134 rw,noatime master:1 shared:2 - ext3 /dev/root ro,noatime,quota
            37 27 0:30 / /srv rw - nfs server:/a\040b rw,addr=10.0.0.1
            38 37 0:31 / /srv ro,nosuid unbindable - tmpfs  rw,size=1k
            39 27 0:32 / /auto rw - autofs systemd-1 rw
            40 27 0:33 / /bare rw - fuse.x y
            """#
        let mounts = try MountReader.parse(Array(list.utf8), path: "list")
        #expect(
            mounts == [
                Mount(
                    target: "/", source: "/dev/sda1", type: "ext4", options: ["rw", "relatime", "errors=remount-ro"]),
                Mount(
                    target: "/mnt/with space\tand\\", source: "/dev/root", type: "ext3",
                    options: ["ro", "noatime", "quota"]),
                Mount(target: "/srv", source: "", type: "tmpfs", options: ["ro", "nosuid", "size=1k"]),
                Mount(target: "/auto", source: "systemd-1", type: "autofs", options: ["rw"]),
                Mount(target: "/bare", source: "y", type: "fuse.x", options: ["rw"]),
            ])
    }

    @Test(
        "what is no such list is named with its line",
        arguments: ["x", "1 2 3:4 / / rw ext4 /dev/sda1 rw", "1 2 3:4 / / rw - ext4", "1 2 3:4 / /"])
    func damage(line: String) {
        let list = Array("27 1 8:1 / / rw - ext4 /dev/sda1 rw\n\(line)\n".utf8)
        let error = #expect(throws: HostReadError.self) { try MountReader.parse(list, path: "list") }
        #expect(error?.line == 2)
    }

    @Test("a file system that does not answer has no sizes, holds nothing up and is not asked again")
    func hanging() throws {
        let server = DispatchSemaphore(value: 0)
        let questions = Mutex<[String]>([])
        let probe = FileSystemProbe(patienceInSeconds: 0.05) { path in
            questions.withLock { $0.append(path) }
            if path == "/hanging" { server.wait() }
            if path == "/denied" { return nil }
            return FileSystemSizes(totalBytes: 5, freeBytes: 4, availableBytes: 3, totalFiles: 2, freeFiles: 1)
        }
        let files = try TemporaryFiles([
            "list": """
            1 0 0:1 / /hanging rw - nfs a rw
            2 0 0:2 / /denied rw - fuse b rw
            3 0 0:3 / /auto rw - autofs c rw
            4 0 0:4 / / rw - ext4 d rw
            """
        ])
        let reader = MountReader(listPath: files.path + "/list", probe: probe)
        for _ in 0..<3 {
            let mounts = try reader.read()
            #expect(mounts.map(\.totalBytes) == [nil, nil, nil, 5])
            #expect(mounts.last?.freeBytes == 4)
            #expect(mounts.last?.availableBytes == 3)
            #expect(mounts.last?.totalFiles == 2)
            #expect(mounts.last?.freeFiles == 1)
        }
        #expect(questions.withLock { $0.filter { $0 == "/hanging" }.count } == 1)
        #expect(!questions.withLock { $0.contains("/auto") })

        // When the server is back and has answered the old request, the reader asks it again.
        for _ in 0..<100 { server.signal() }
        var size: UInt64?
        for _ in 0..<200 where size == nil { size = try reader.read().first?.totalBytes }
        #expect(size == 5)
    }

    @Test("the root of this machine is mounted and has a size")
    func thisMachine() throws {
        let mounts = try MountReader().read()
        let root = try #require(mounts.first { $0.target == "/" })
        let total = try #require(root.totalBytes)
        let free = try #require(root.freeBytes)
        let available = try #require(root.availableBytes)
        #expect(total > 0 && free <= total && available <= free)
        #expect(root.options.contains("rw") || root.options.contains("ro"))
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: "/")
        #expect((attributes[.systemSize] as? NSNumber)?.uint64Value == total)
        #expect(mounts.contains { $0.target == "/proc" && $0.type == "proc" })
        #expect(Set(mounts.map(\.target)).count == mounts.count)
        #expect(FileSystemSizes.query("/nowhere/at/all") == nil)
    }
}
