import Foundation
import Testing

@testable import Hostwatch

@Suite("Packages")
struct PackageReaderTests {
    private static let fixture = """
        Package: libc6
        Status: install ok installed
        Priority: optional
        Section: libs
        Installed-Size: 12986
        Maintainer: GNU Libc Maintainers <debian-glibc@lists.debian.org>
        Architecture: amd64
        Multi-Arch: same
        Version: 2.36-9+deb12u10
        Conffiles:
         /etc/ld.so.conf.d/x86_64-linux-gnu.conf d4e7a7b88a71b5ffd9e2644e71a0cfab
        Description: GNU C Library: Shared libraries
         Contains the standard libraries.
         .
         Package: not a field

        Package: libc6
        Status: install ok installed
        Architecture: i386
        Version: 2.36-9

        Package: gone
        Status: deinstall ok config-files
        Architecture: all
        Version: 1

        Package: broken
        Status: install ok half-configured
        Architecture: all
        Version: 1

        package: held
        status: hold ok triggers-pending
        ARCHITECTURE:all
        version:\t1:2~rc1 \r
        description: Größe\u{20}

        """

    @Test("only installed packages are read, with every field")
    func fixture() throws {
        let packages = try PackageReader.parse(Array(Self.fixture.utf8), path: "status")
        #expect(
            packages == [
                Package(
                    name: "libc6", architecture: "amd64", version: "2.36-9+deb12u10", section: "libs",
                    priority: "optional", installedKiB: 12_986, status: "install ok installed",
                    maintainer: "GNU Libc Maintainers <debian-glibc@lists.debian.org>",
                    summary: "GNU C Library: Shared libraries"),
                Package(
                    name: "libc6", architecture: "i386", version: "2.36-9", section: "", priority: "",
                    installedKiB: nil, status: "install ok installed", maintainer: nil, summary: ""),
                Package(
                    name: "held", architecture: "all", version: "1:2~rc1", section: "", priority: "",
                    installedKiB: nil, status: "hold ok triggers-pending", maintainer: nil, summary: "Größe"),
            ])
    }

    @Test("further lines keep what stands in them")
    func continuation() throws {
        let stanzas = try Deb822Stanza.parse(Array(Self.fixture.utf8), path: "status")
        #expect(stanzas.count == 5)
        #expect(
            stanzas[0]["Description"]
                == "GNU C Library: Shared libraries\nContains the standard libraries.\n.\nPackage: not a field")
        #expect(stanzas[0]["conffiles"]?.hasPrefix("\n/etc/ld.so.conf.d/") == true)
        #expect(stanzas[0]["Nothing"] == nil)
        #expect(try Deb822Stanza.parse([], path: "status").isEmpty)
        #expect(try Deb822Stanza.parse(Array("\n\n \n# note\nA: b".utf8), path: "status").map(\.fields.count) == [1])
    }

    @Test(
        "damage is named with its line",
        arguments: [(" x\n", 1), ("Package: a\nno colon\n", 2), ("Package: a\n\n:x\n", 3)])
    func damage(text: String, line: Int) {
        let error = #expect(throws: HostReadError.self) { try PackageReader.parse(Array(text.utf8), path: "p") }
        #expect(error?.line == line)
        #expect(error?.description.hasPrefix("p, line \(line): ") == true)
        #expect(throws: HostReadError.self) { try PackageReader.parse(Array("Version: 1\n".utf8), path: "p") }
    }

    @Test("a file that is not there is an error with the system's reason")
    func noFile() {
        let error = #expect(throws: HostReadError.self) { try PackageReader(statusPath: "/nowhere/status").read() }
        #expect(error?.description == "/nowhere/status: No such file or directory")
        #expect(error?.meansAbsent == true)
    }

    @Test("a file that was replaced is read again, and one that was not gives the same")
    func replaced() throws {
        func status(_ version: String) -> String {
            "Package: bash\nStatus: install ok installed\nVersion: \(version)\n"
        }
        let files = try TemporaryFiles(["status": status("5.2")])
        let reader = PackageReader(statusPath: files.path + "/status")
        #expect(try reader.read().map(\.version) == ["5.2"])
        #expect(try reader.read().map(\.version) == ["5.2"])
        // Replaces the file with a new one, as dpkg does.
        try status("5.3").write(toFile: files.path + "/new", atomically: false, encoding: .utf8)
        #expect(unsafe rename(files.path + "/new", files.path + "/status") == 0)
        #expect(try reader.read().map(\.version) == ["5.3"])
        try FileManager.default.removeItem(atPath: files.path + "/status")
        #expect(throws: HostReadError.self) { try reader.read() }
    }

    @Test(
        "finds on this machine what dpkg-query finds",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-query")))
    func thisMachine() throws {
        let query = Process()
        query.executableURL = URL(fileURLWithPath: "/usr/bin/dpkg-query")
        query.arguments = [
            "-W", "-f",
            "${db:Status-Status}|${Package}|${Architecture}|${Version}|${Installed-Size}|${binary:Summary}\n",
        ]
        let output = Pipe()
        query.standardOutput = output
        try query.run()
        let listed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        query.waitUntilExit()
        // Some descriptions end in spaces. dpkg-query prints them, but according to deb822(5) they are not part of the value.
        let expected = listed.split(separator: "\n").filter { $0.hasPrefix("installed|") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let found = try PackageReader().read().map { package in
            let size = package.installedKiB.map { "\($0)" } ?? ""
            return "installed|\(package.name)|\(package.architecture)|\(package.version)|\(size)|\(package.summary)"
        }
        #expect(!found.isEmpty)
        #expect(found.count == expected.count)
        #expect(Set(found).symmetricDifference(expected).isEmpty)
    }
}
