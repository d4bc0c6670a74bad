/// Reads the mounts from `/proc/self/mountinfo`, and the free space of each file system.
struct MountReader {
    /// The path of the list of mounts of this process's mount namespace.
    var listPath = "/proc/self/mountinfo"
    /// Queries the file systems. Keep one probe for all readings, because it remembers those that do not answer.
    var probe = FileSystemProbe()

    /// Returns all visible mounts with their sizes.
    func read() throws(HostReadError) -> [Mount] {
        var mounts = try Self.parse(try SystemDirectory.bytes(at: listPath), path: listPath)
        for index in mounts.indices {
            // A query of an automounter's directory would mount the file system behind it.
            guard mounts[index].type != "autofs", let sizes = probe.sizes(of: mounts[index].target) else { continue }
            mounts[index].totalBytes = sizes.totalBytes
            mounts[index].freeBytes = sizes.freeBytes
            mounts[index].availableBytes = sizes.availableBytes
            mounts[index].totalFiles = sizes.totalFiles
            mounts[index].freeFiles = sizes.freeFiles
        }
        return mounts
    }

    /// Returns the mounts in a list, without sizes. If several mounts share a directory, the last one hides the others.
    static func parse(_ bytes: [UInt8], path: String) throws(HostReadError) -> [Mount] {
        var mounts: [Mount] = []
        var indexes: [String: Int] = [:]
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard !line.isEmpty else { continue }
            guard let mount = parseLine(line) else {
                throw HostReadError(
                    path: path, line: number, reason: "it does not have the form that proc_pid_mountinfo(5) describes")
            }
            if let index = indexes[mount.target] {
                mounts[index] = mount
            } else {
                indexes[mount.target] = mounts.count
                mounts.append(mount)
            }
        }
        return mounts
    }

    /// Parses a line such as `36 35 98:0 /root /target rw,noatime master:1 - ext3 /dev/root rw,errors=continue`. Before the
    /// hyphen there may be any number of optional fields.
    private static func parseLine(_ line: ArraySlice<UInt8>) -> Mount? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count >= 9, let hyphen = words[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
            hyphen + 2 < words.count
        else { return nil }
        let superOptions = hyphen + 3 < words.count ? options(words[hyphen + 3]) : []
        return Mount(
            target: unescaped(words[4]), source: unescaped(words[hyphen + 2]), type: unescaped(words[hyphen + 1]),
            options: merged(options(words[5]), superOptions))
    }

    /// Returns the options of the mount and of the file system, each once. The mount is writable only if both allow it.
    private static func merged(_ mountOptions: [String], _ superOptions: [String]) -> [String] {
        var options = mountOptions
        if superOptions.contains("ro"), let index = options.firstIndex(of: "rw") { options[index] = "ro" }
        for option in superOptions where option != "rw" && option != "ro" && !options.contains(option) {
            options.append(option)
        }
        return options
    }

    private static func options(_ word: ArraySlice<UInt8>) -> [String] {
        word.split(separator: UInt8(ascii: ",")).map { unescaped($0) }
    }

    /// The kernel writes space, tab, line feed, backslash and number sign as a backslash with three octal digits.
    private static func unescaped(_ word: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = word
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
