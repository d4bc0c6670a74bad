import Foundation

/// A program that writes to a store's directory with py-lmdb and knows nothing of ModelStore.
enum ForeignWriter {
    private static let interpreter: String? = {
        let named = ProcessInfo.processInfo.environment["MODELSTORE_PYTHON"]
        return [named, "/usr/bin/python3"].compactMap(\.self).first { (try? run($0, ["-c", "import lmdb"])) == 0 }
    }()

    /// Whether this machine has what it takes.
    static var isAvailable: Bool { interpreter != nil }

    /// Puts an entry into a database of its own.
    ///
    /// - Returns: the exit status.
    static func write(to store: String) throws -> Int32 {
        let script = """
            import lmdb, sys
            env = lmdb.open(sys.argv[1], max_dbs=8, map_size=1 << 40)
            with env.begin(write=True) as tx: tx.put(b"key", b"value", db=env.open_db(b"foreign", txn=tx))
            """
        return try run(interpreter ?? "/usr/bin/python3", ["-c", script, store])
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
