import Foundation
import StoreEngine

/// Writes messages to standard error that a program must see even if it handles no events and no notices.
enum StandardErrorNotice {
    /// Writes an event that explains why a program seems to hang, why its store grows, or why writes will soon fail. Ignores all
    /// other events.
    static func write(_ event: StoreEvent) {
        switch event {
        case .writerBlocked(let processID, let waited):
            write(
                line:
                    "ModelStore: \(WriterHolder(processID)) holds the store's writer; a write has waited for \(waited)")
        case .recoveryAwaited(let waited):
            write(line: "ModelStore: another process is recovering the store; opening it has waited for \(waited)")
        case .filesMended(let what): write(line: "ModelStore: \(what)")
        case .snapshotHeld(let held):
            write(
                line:
                    "ModelStore: \(WriterHolder(held.processID)) holds a snapshot that is \(held.commitCount) commits old, "
                    + "so \(held.byteCount >> 20) MiB of the store cannot be reused")
        case .logFilling(let byteCount, let limit):
            write(
                line:
                    "ModelStore: the engine of the store's log has \(byteCount >> 20) of its \(limit >> 20) MiB in use; "
                    + "when they are used up, writes fail")
        default: return
        }
    }

    /// Writes a notice as a warning.
    static func write(_ notice: OwnershipNotice) {
        let text = "ModelStore: warning: \(notice.message)\(notice.line.map { " (\($0))" } ?? "")"
        write(line: String(text.map { $0.isNewline ? " " : $0 }))
    }

    /// Writes a line, with escapes for control and format characters: the names and ids in it come from any source. Ignores a
    /// failure, because there is no other output to report it to.
    private static func write(line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((DisplayText.escaped(line) + "\n").utf8))
    }
}
