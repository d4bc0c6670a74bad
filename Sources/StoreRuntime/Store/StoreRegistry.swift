import Foundation
import LMDB
import StoreEngine

/// The stores that are open in this process, so that a second open of a directory shares the first.
enum StoreRegistry {
    private struct Entry {
        let core: StoreCore
        var opens: Int
    }

    private static let entries = HandoverMutex<[ObjectIdentifier: Entry]>([:])

    /// Opens the store in a directory, or shares it.
    static func open(path: String, options: StoreOptions, records: [any Record.Type]) throws -> StoreCore {
        try WriterThread.requireElsewhere()
        let environment = try openEnvironment(path, options)
        // The lock is held while a store opens, so that two opens of one directory do not both create it.
        do {
            return try entries.withLock { entries in
                let key = ObjectIdentifier(environment)
                if let entry = entries[key] {
                    guard options.isReadOnly || !entry.core.options.isReadOnly else {
                        throw StoreError(
                            .inUse, "this process has \(path) open for reading only",
                            remedy: "open it for writing first, or close the reading store")
                    }
                    try entry.core.add(records)
                    entries[key]?.opens += 1
                    environment.close()
                    return entry.core
                }
                let core = try StoreCore.open(environment, options: options, records: records)
                entries[key] = Entry(core: core, opens: 1)
                return core
            }
        } catch {
            environment.close()
            throw error
        }
    }

    /// Balances one open; the last one closes the store.
    static func close(_ core: StoreCore) {
        let isLast = entries.withLock { entries in
            let key = ObjectIdentifier(core.environment)
            guard var entry = entries[key] else { return false }
            entry.opens -= 1
            entries[key] = entry.opens == 0 ? nil : entry
            return entry.opens == 0
        }
        if isLast { core.close() }
    }

    private static func openEnvironment(_ path: String, _ options: StoreOptions) throws(StoreError) -> LMDBEnvironment {
        let wanted = LMDBEnvironment.Options(
            mapSize: options.mapByteCount, maximumReaders: options.maximumReaders,
            isReadOnly: options.isReadOnly, syncs: !options.isTemporary,
            allowsNetworkFileSystem: options.allowsNetworkFileSystem, fileMode: options.fileMode)
        do {
            // The first open's options rule; what differs for this one (reading only) its own `Store` sees to.
            return try LMDBEnvironment.open(at: path, options: openOptions(path) ?? wanted)
        } catch {
            throw StoreError(error)
        }
    }

    /// The options of the environment in this directory, when this process has it open.
    private static func openOptions(_ path: String) -> LMDBEnvironment.Options? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: StoreDirectory.dataFile(path))
        guard let inode = attributes?[.systemFileNumber] as? Int, let device = attributes?[.systemNumber] as? Int else {
            return nil
        }
        return entries.withLock { entries in
            entries.values.map(\.core.environment).first {
                $0.fileIdentity.inode == UInt64(inode) && $0.fileIdentity.device == UInt64(device)
            }?.options
        }
    }
}
