import ModelStore
import ModelStoreEvents
import StoreCommands
import StoreEngine
import StoreRuntime
import TestSupport

/// The ids of server-sent events, and the positions in them, with which clients and commands resume.
struct EventIDTarget: FuzzTarget {
    let inputs: Mutator
    /// The second id needs the package trait, and the third is of another store.
    let validCount = 1
    private let path: String
    private let store: Store

    /// - Parameter folder: where a small store is made.
    init(in folder: String) async throws {
        path = folder + "/store"
        store = try Store(at: path, records: Note.self)
        for number in 0..<3 { try await store.write { tx in try tx.upsert(Note(id: "\(number)", text: "text")) } }
        let position = try store.position
        inputs = Mutator(
            texts: ["\(position)", "\(position).9f3c", "00000000-0000-4000-8000-000000000000.1f.17.abc.0"],
            words: [
                ".", "-", "+", "0", "ffffffffffffffff", "18446744073709551615", "9223372036854775808",
                "\(position.sequence)", "\(position.store)", " ", "\u{0}", "\u{301}", "٣", "１",
            ])
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) async throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        #if ServerSentEvents
        if let id = EventID(text) {
            let again = EventID(id.description)
            guard again?.position == id.position, again?.fingerprint == id.fingerprint else {
                throw Mismatch("\(id) reads back differently")
            }
            if try await resume(at: id.position) { return true }
        }
        #endif
        guard let position = Position(text) else { return false }
        guard Position(position.description) == position else {
            throw Mismatch("\(position) reads back differently")
        }
        let isAccepted = try await resume(at: position)
        guard number.isMultiple(of: 16) else { return isAccepted }
        let status = StoreCommandLine.run(["--store", path, "feed", "--since", text])
        guard [.done, .failed, .usage].contains(status) else { throw Mismatch("the command ended with \(status)") }
        return isAccepted
    }

    /// Reads the feed after a position up to the newest change set.
    ///
    /// - Returns: whether the feed has the position.
    private func resume(at position: Position) async throws -> Bool {
        let newest = try store.position
        do {
            if position.sequence == newest.sequence {
                // No change set follows, so an iteration would wait.
                try store.read { tx in try tx._reading.requireResumable(position) }
                return true
            }
            var count = 0
            for try await set in store.changes(since: position) {
                count += 1
                if set.position == newest { break }
            }
            guard count <= 3 else { throw Mismatch("the feed has \(count) change sets") }
            return true
        } catch let error as StoreError {
            let expected: [StoreError.Code] = [
                .positionOfAnotherStore, .positionInFuture, .positionDiverged, .positionCompacted,
            ]
            guard expected.contains(error.code) else { throw error }
            return false
        }
    }
}
