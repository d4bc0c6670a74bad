import ChildPrograms
import Foundation

/// A Python interpreter with py-lmdb. It reads a store with knowledge of LMDB and the documented file format only.
///
/// For each line `read` it opens one snapshot, and follows each index entry to its record. It answers `snapshot <transaction>
/// <records of Entry> <lane>=<count>…`, or `failed …`.
struct PythonReader {
    let process: ChildProcess
    /// The versions of py-lmdb and of its LMDB.
    let version: String

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    init(_ store: String) throws {
        guard let interpreter = Python.interpreter else {
            throw Missing(
                description: "no Python with py-lmdb: `apt-get install python3-lmdb`, or name one that has it in "
                    + "MODELSTORE_PYTHON, or set MODELSTORE_SKIP_INTEROP=1")
        }
        process = try ChildProcess(interpreter, ["-u", "-c", Self.script, store])
        version = process.nextLine() ?? "unknown"
    }

    /// The content of one snapshot.
    struct Snapshot {
        let transaction: Int
        let entryCount: Int
        let counts: [String: Int]
    }

    /// Requests a read of one snapshot.
    func read() throws -> Snapshot {
        process.send("read")
        let answer = process.nextLine() ?? "no answer"
        let words = answer.split(separator: " ")
        guard words.count >= 3, words[0] == "snapshot", let transaction = Int(words[1]), let entries = Int(words[2])
        else {
            throw Command.Failed(description: "Python: \(answer)")
        }
        var counts: [String: Int] = [:]
        for word in words[3...] {
            let parts = word.split(separator: "=")
            counts[String(parts[0])] = parts.count == 2 ? Int(parts[1]) : nil
        }
        return Snapshot(transaction: transaction, entryCount: entries, counts: counts)
    }

    private static let script = #"""
        import json, struct, sys
        import lmdb
        env = lmdb.open(sys.argv[1], readonly=True, max_dbs=64, map_size=1 << 36)
        print("py-lmdb %s with LMDB %s" % (lmdb.__version__, ".".join(map(str, lmdb.version()))))
        def fields(record):
            # After a header of 16 bytes: an offset's width, the number of fields, where each ends, the fields.
            width, count = struct.unpack_from("<BH", record, 16)
            table = 19 + width * count
            ends = [int.from_bytes(record[19 + width * i:19 + width * (i + 1)], "little") for i in range(count)]
            return [record[table + (ends[i - 1] if i else 0):table + ends[i]] for i in range(count)]
        def record_key(key, data):
            return data[1:] if data[0] == 1 else key[len(key) - data[1]:]
        def read():
            with env.begin() as tx:
                types = {}
                for key, value in tx.cursor(env.open_db(b"catalog", txn=tx, create=False)):
                    described = json.loads(value[value.index(b"{"):])
                    types[described["name"]] = described
                records = {}
                for name, described in types.items():
                    db = env.open_db(b"records.%d" % described["id"], txn=tx, create=False)
                    records[name] = dict(tx.cursor(db))
                    for index in described["indexes"]:
                        name_of_index = b"index.%d.%d" % (described["id"], index["id"])
                        entries = tx.cursor(env.open_db(name_of_index, txn=tx, create=False))
                        found = [record_key(key, data) for key, data in entries]
                        if sorted(found) != sorted(records[name]):
                            raise ValueError("%s does not fit its records" % name_of_index.decode())
                counts = []
                for lane in records["Lane"].values():
                    name, count = fields(lane)
                    counts.append("%s=%d" % (name.decode(), int.from_bytes(count, "little")))
                return "snapshot %d %d %s" % (tx.id(), len(records["Entry"]), " ".join(counts))
        for line in sys.stdin:
            try: print(read())
            except Exception as error: print("failed %r" % error)
        """#
}
