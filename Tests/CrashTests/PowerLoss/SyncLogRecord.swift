import Foundation

/// A record of a log of SyncLog. The format is described in `synclog.c`.
struct SyncLogRecord {
    private static let headerByteCount = 40

    let kind: UInt32
    let flags: UInt32
    let offset: Int
    /// The inode of the file.
    let file: UInt64
    let payload: Data

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// The payload as text.
    var text: String { String(decoding: payload, as: UTF8.self) }

    /// The texts of the payload, which zeros separate.
    var texts: [String] { payload.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } }

    /// Reads a log file.
    static func all(contentsOf path: String) throws -> [SyncLogRecord] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var records: [SyncLogRecord] = []
        var position = data.startIndex
        while position < data.endIndex {
            guard position + headerByteCount <= data.endIndex else {
                throw Malformed(description: "the log ends within a record")
            }
            let header = data[position..<position + headerByteCount]
            let payloadCount = Int(header.integer(at: 32, as: UInt32.self))
            position += headerByteCount
            guard position + payloadCount <= data.endIndex else {
                throw Malformed(description: "the log ends within a payload")
            }
            records.append(
                SyncLogRecord(
                    kind: header.integer(at: 0, as: UInt32.self), flags: header.integer(at: 4, as: UInt32.self),
                    offset: Int(header.integer(at: 8, as: UInt64.self)),
                    file: header.integer(at: 24, as: UInt64.self),
                    payload: Data(data[position..<position + payloadCount])))
            position += payloadCount
        }
        return records
    }
}

extension Data {
    /// Reads an integer in this machine's byte order at an offset from the start.
    fileprivate func integer<I: FixedWidthInteger>(at offset: Int, as type: I.Type) -> I {
        var value: I = 0
        for index in 0..<MemoryLayout<I>.size {
            value |= I(truncatingIfNeeded: self[startIndex + offset + index]) << (8 * index)
        }
        return I(littleEndian: value.littleEndian)
    }
}
