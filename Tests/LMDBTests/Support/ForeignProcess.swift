import Foundation
import Glibc

/// Another process that uses a store through liblmdb directly, without this library. It is a Python interpreter that runs one
/// command per line and answers each with one line.
///
/// `@unchecked Sendable`: nothing in it changes after `init`, and each test uses it from one task at a time.
final class ForeignProcess: @unchecked Sendable {
    /// Whether this machine has the required Python and py-lmdb.
    static let isAvailable: Bool = {
        guard let process = try? ForeignProcess() else { return false }
        return (try? process.ask("version")) != nil
    }()

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    var processID: Int32 { process.processIdentifier }

    init() throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-u", "-c", Self.script]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    /// Sends a command and waits for its answer.
    @discardableResult
    func ask(_ command: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        var answer = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) {
            answer.append(byte)
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("ok") else { throw Refused(description: "\(command): \(text)") }
        return String(text.dropFirst(3))
    }

    /// Ends the process without a chance to clean up, and waits until it is gone.
    func kill() {
        guard process.isRunning else { return }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static let script = #"""
        import ctypes, fcntl, os, struct, sys
        lib = ctypes.CDLL("liblmdb.so.0")
        P, U, Z = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t
        class Val(ctypes.Structure):
            _fields_ = [("size", Z), ("data", P)]
        lib.mdb_env_set_mapsize.argtypes = [P, Z]
        lib.mdb_env_set_maxdbs.argtypes = [P, U]
        lib.mdb_env_set_maxreaders.argtypes = [P, U]
        lib.mdb_env_open.argtypes = [P, ctypes.c_char_p, U, U]
        lib.mdb_txn_begin.argtypes = [P, P, U, ctypes.POINTER(P)]
        lib.mdb_txn_commit.argtypes = [P]
        lib.mdb_txn_id.argtypes = [P]
        lib.mdb_txn_id.restype = Z
        lib.mdb_dbi_open.argtypes = [P, ctypes.c_char_p, U, ctypes.POINTER(U)]
        lib.mdb_put.argtypes = [P, U, ctypes.POINTER(Val), ctypes.POINTER(Val), U]
        lib.mdb_get.argtypes = [P, U, ctypes.POINTER(Val), ctypes.POINTER(Val)]
        NOTLS, NOSYNC, RDONLY, CREATE = 0x200000, 0x10000, 0x20000, 0x40000
        env, held = P(), []
        def check(code):
            if code: raise OSError(code, "code %d" % code)
        def val(text):
            data = text.encode()
            return Val(len(data), ctypes.cast(ctypes.create_string_buffer(data, len(data) or 1), P))
        def begin(flags):
            txn = P()
            check(lib.mdb_txn_begin(env, None, flags, ctypes.byref(txn)))
            return txn
        def dbi(txn, name, flags):
            handle = U()
            check(lib.mdb_dbi_open(txn, name.encode(), flags, ctypes.byref(handle)))
            return handle.value
        def put(txn, db, key, value):
            check(lib.mdb_put(txn, db, ctypes.byref(val(key)), ctypes.byref(val(value)), 0))
        def run(words):
            name, args = words[0], words[1:]
            if name == "version": return str(lib.mdb_version(None, None, None))
            if name == "open":
                check(lib.mdb_env_create(ctypes.byref(env)))
                check(lib.mdb_env_set_mapsize(env, int(args[1])))
                check(lib.mdb_env_set_maxdbs(env, 16))
                check(lib.mdb_env_set_maxreaders(env, int(args[2]) if len(args) > 2 else 126))
                check(lib.mdb_env_open(env, args[0].encode(), NOTLS | NOSYNC, 0o640))
            elif name == "put":
                txn = begin(0)
                put(txn, dbi(txn, args[0], CREATE), args[1], args[2])
                check(lib.mdb_txn_commit(txn))
            elif name == "fill":
                # fill <database> <count> <bytes each>: one transaction
                txn = begin(0)
                db = dbi(txn, args[0], CREATE)
                for i in range(int(args[1])): put(txn, db, "%08d" % i, "x" * int(args[2]))
                check(lib.mdb_txn_commit(txn))
            elif name == "write":
                # write <database> <prefix> <count>: each in a transaction of its own
                for i in range(int(args[2])): run(["put", args[0], "%s%06d" % (args[1], i), "foreign"])
            elif name == "get":
                txn, found = begin(RDONLY), Val()
                check(lib.mdb_get(txn, dbi(txn, args[0], 0), ctypes.byref(val(args[1])), ctypes.byref(found)))
                text = ctypes.string_at(found.data, found.size).decode()
                check(lib.mdb_txn_commit(txn))
                return text
            elif name == "hold-snapshot":
                held.append(begin(RDONLY))
                return str(lib.mdb_txn_id(held[-1]))
            elif name == "hold-writer": held.append(begin(0))
            elif name == "release-writer": check(lib.mdb_txn_commit(held.pop()))
            elif name == "grow": check(lib.mdb_env_set_mapsize(env, int(args[0])))
            elif name == "claim-pid":
                # What a process in another pid namespace with the same pid does: it locks the byte at that pid.
                fd = os.open(args[0] + "/lock.mdb", os.O_RDWR)
                fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(args[1]))
                held.append(fd)
            else: raise ValueError("unknown command")
            return ""
        for line in sys.stdin:
            try: print("ok " + run(line.split()))
            except Exception as error: print("failed %s" % error)
        """#
}
