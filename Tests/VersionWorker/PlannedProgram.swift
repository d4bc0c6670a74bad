import Foundation
import ModelStore

/// A program that migrates by a plan, whose step must not run twice: it doubles all counts. Waits for a line, opens the
/// store, and says `open` with the sum of the counts.
struct PlannedProgram {
    let directory: String
    /// How many versions of the plan the program knows.
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
    ]

    func run() -> Int32 {
        var options = StoreOptions()
        options.migrations = MigrationPlan(Array(Self.versions.prefix(versionCount)))
        say("ready")
        _ = readLine()
        do {
            let store = try Store(at: directory, records: Version1.Item.self, options: options)
            let sum = try store.read { tx in try tx.all(Version1.Item.self).reduce(0) { $0 + Int($1.count) } }
            say("open \(sum)")
            store.close()
            return 0
        } catch {
            say("refused \(error)")
            return 1
        }
    }
}
