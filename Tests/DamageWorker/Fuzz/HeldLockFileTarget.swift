import ChildPrograms
import Foundation
import ModelStore
import StoreRuntime
import TestSupport

/// The lock file of a store that another process has open. The process that opens it now, and the one that has it open, give a
/// result or an error, and the records stay as they are.
///
/// The two mutexes and the number of the last transaction are left as they are. LMDB and the C library trust these shared words,
/// and no check can tell a wrong one from a right one.
struct HeldLockFileTarget: FuzzTarget {
    let inputs: Mutator
    /// Every input is a change of the current content.
    let validCount = 0
    private let tried: TriedStore
    /// The magic number and the format, the count of readers, and the first slots of readers.
    private static let parts = [0..<8, 56..<64, 128..<1_024]

    init(in folder: String) async throws {
        tried = try await TriedStore(in: folder)
        inputs = Mutator(corpus: [[0]])
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) async throws -> Bool {
        try tried.reset()
        let holder = try ChildProcess(CommandLine.arguments[0], ["hold", tried.path])
        guard holder.nextLine() == "held" else { throw Mismatch("the store is not held") }
        let file = try FileHandle(forUpdating: URL(filePath: tried.file("lock.mdb")))
        var beginning = [UInt8](try file.read(upToCount: 1_024) ?? Data())
        // A change of the length would move the rest of the file.
        let kinds: [Mutation] = [.bits, .bytes, .extremeByte, .length]
        for _ in 0...random.below(2) {
            let part = random.pick(Self.parts)
            var bytes = Array(beginning[part])
            random.pick(kinds).apply(to: &bytes, &random)
            beginning.replaceSubrange(part, with: bytes)
        }
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(beginning))
        try file.close()
        if let store = try? tried.open() {
            defer { store.close() }
            do {
                try await tried.use(store, id: 100)
            } catch is StoreError {
                // The writer or the reader table is refused.
            }
        }
        holder.send("use")
        guard let answer = holder.nextLine(seconds: 60) else {
            holder.kill()
            throw Mismatch("the process that has the store open ended by \(try holder.wait())")
        }
        guard answer == "used" || answer.hasPrefix("error") else { throw Mismatch("\(answer)") }
        return answer == "used"
    }
}
