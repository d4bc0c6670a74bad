import Foundation
import ModelStore

/// A program that migrates with a plan. Its steps double all counts, so they must not run twice. The program waits for a line and
/// opens the store. Then it prints `open` with the sum of the counts, and `sound` or the findings.
struct PlannedProgram {
    let directory: String
    /// The number of plan versions that the program knows.
    let versionCount: Int

    private static let versions = [
        MigrationVersion("1", Version1.Item.self),
        MigrationVersion(
            "2", Version1.Item.self,
            steps: .change { tx in
                for item in try tx.all(Version1.Item.self) {
                    try tx.update(Version1.Item.self, id: item.id) { $0.count = item.count * 2 }
                }
            }),
        MigrationVersion(
            "3", PlannedItem.self,
            steps: .transform(Version1.Item.self, to: PlannedItem.self) { old in
                PlannedItem(key: "k\(old.id)", count: Int(old.count) * 2)
            },
            .change { tx in
                for item in try tx.all(PlannedItem.self) where item.count % 3 == 0 {
                    try tx.delete(PlannedItem.self, id: item.key)
                }
            }),
    ]

    func run() -> Int32 {
        var options = StoreOptions.given
        options.migrations = MigrationPlan(Array(Self.versions.prefix(versionCount)))
        say("ready")
        _ = readLine()
        do {
            let isLast = versionCount == Self.versions.count
            let store = try Store(
                at: directory, records: [isLast ? PlannedItem.self : Version1.Item.self], options: options)
            let sum = try store.read { tx in
                isLast
                    ? try tx.all(PlannedItem.self).reduce(0) { $0 + $1.count }
                    : try tx.all(Version1.Item.self).reduce(0) { $0 + Int($1.count) }
            }
            say("open \(sum) \(try findings(in: store))")
            store.close()
            return 0
        } catch {
            say("refused \(error)")
            return 1
        }
    }
}

/// An item in the third version of the plan, with a different id.
@Record("Item")
struct PlannedItem {
    @ID var key: String
    @Indexed var count: Int
}
