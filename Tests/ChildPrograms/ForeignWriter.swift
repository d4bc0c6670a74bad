import Synchronization

/// A program that writes to stores with py-lmdb and does not know ModelStore. One process serves the whole test run and ends with
/// it.
package final class ForeignWriter: Sendable {
    /// Nil if there is no Python with py-lmdb.
    package static let shared: ForeignWriter? = Python.interpreter.flatMap { try? ForeignWriter($0) }

    /// Locked while a command is sent and answered.
    private let process: Mutex<ChildProcess>

    private init(_ interpreter: String) throws {
        process = Mutex(try ChildProcess(interpreter, ["-u", "-c", Self.script], mergesErrors: true))
    }

    /// Puts an entry into the program's own database, in one commit.
    package func write(to store: String) throws { try ask("write", store) }

    /// Saves the current bytes of a record under a name.
    ///
    /// - Parameters:
    ///   - database: The database of the records.
    ///   - prefix: The beginning of the record's key, which no other key shares.
    package func keep(_ name: String, from store: String, _ database: String, keyPrefix prefix: String) throws {
        try ask("keep", store, name, database, prefix)
    }

    /// Restores the bytes saved under a name, in one commit, without a notification.
    package func putBack(_ name: String, to store: String) throws { try ask("put-back", store, name) }

    private func ask(_ words: String...) throws {
        let answer = process.withLock { process in
            process.send(words.joined(separator: "\t"))
            return process.nextLine() ?? "no answer"
        }
        guard answer == "done" else {
            throw Command.Failed(description: "Python, \(words.joined(separator: " ")): \(answer)")
        }
    }

    private static let script = #"""
        import lmdb, sys
        kept = {}
        def write(tx, env):
            tx.put(b"key", b"value", db=env.open_db(b"foreign", txn=tx))
        def keep(tx, env, name, database, prefix):
            records = tx.cursor(env.open_db(database.encode(), txn=tx, create=False))
            found = [entry for entry in records if entry[0].startswith(prefix.encode())]
            if len(found) != 1: raise ValueError("%d records" % len(found))
            kept[name] = (database, *found[0])
        def put_back(tx, env, name):
            database, key, record = kept[name]
            tx.put(key, record, db=env.open_db(database.encode(), txn=tx, create=False))
        commands = {"write": (write, True), "keep": (keep, False), "put-back": (put_back, True)}
        for line in sys.stdin:
            try:
                name, store, *rest = line.rstrip("\n").split("\t")
                command, writes = commands[name]
                with lmdb.open(store, max_dbs=16, map_size=1 << 30, sync=False) as env:
                    with env.begin(write=writes) as tx: command(tx, env, *rest)
                print("done")
            except Exception as error: print("failed %r" % error)
        """#
}
