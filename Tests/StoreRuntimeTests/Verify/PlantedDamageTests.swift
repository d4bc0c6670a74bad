import LMDB
import StoreEngine
import StoreRuntime
import Testing

@Suite struct PlantedDamageTests {
    @Test(arguments: PlantedDamage.records)
    func `damaged records are found, with their place`(damage: PlantedDamage) throws { try check(damage) }

    @Test(arguments: PlantedDamage.indexes)
    func `damaged indexes are found, with their place`(damage: PlantedDamage) throws { try check(damage) }

    @Test(arguments: PlantedDamage.feed)
    func `a damaged feed is found, with its place`(damage: PlantedDamage) throws { try check(damage) }

    @Test(arguments: PlantedDamage.store)
    func `damaged metadata and catalogs are found, with their place`(damage: PlantedDamage) throws { try check(damage) }

    /// Checks that `verify` finds all detectable damage and nothing else: it must not report one cause several times.
    private func check(_ damage: PlantedDamage) throws {
        let sample = try SampleStore()
        try sample.folder.tamper(damage.plant)
        let found = try sample.folder.findings()
        let places = Set(found.map { "\($0.kind.rawValue) @ \($0.location)" })
        #expect(places == damage.expected, "\(found)")
        #expect(!found.contains { $0.message.isEmpty })
    }
}
