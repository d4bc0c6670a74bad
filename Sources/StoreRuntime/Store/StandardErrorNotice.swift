import Foundation

/// Writes to standard error what a program must see even where it handles no events.
enum StandardErrorNotice {
    /// Writes an event that tells why a program seems to hang; nothing for others.
    static func write(_ event: StoreEvent) {
        guard case .writerBlocked(let processID, let waited) = event else { return }
        let line = "ModelStore: \(WriterHolder(processID)) holds the store's writer; a write has waited for \(waited)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
