package import Foundation
import LMDB

/// Files of a store as another boot of the system finds them. Only then is the redo log run.
package enum OtherBoot {
    /// Returns the content of `redo.checkpoint` with checkpoints from another boot.
    ///
    /// - Parameter boot: the id of the boot.
    package static func checkpoints(_ content: Data, boot: String = "another boot") -> Data {
        var bytes = [UInt8](content)
        for offset in [0, 4_096] where offset < bytes.count {
            guard var record = CheckpointRecord(Array(bytes[offset...])) else { continue }
            record.boot = boot
            bytes.replaceSubrange(offset..<offset + CheckpointRecord.byteCount, with: record.bytes)
        }
        return Data(bytes)
    }

    /// Changes the files of a store that is not open.
    package static func enter(_ directory: String, boot: String = "another boot") throws {
        let url = URL(fileURLWithPath: directory + "/redo.checkpoint")
        try checkpoints(try Data(contentsOf: url), boot: boot).write(to: url)
    }
}
