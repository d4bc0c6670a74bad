import Foundation
import TestSupport
import Testing

/// The model on which the power loss tests are based.
@Suite struct DiskTests {
    private let page = Disk.Unit.page.rawValue
    private let sector = Disk.Unit.sector.rawValue

    @Test func `what was synced is in every image`() {
        var disk = Disk()
        disk.apply(write("a", at: 0, count: 2 * page))
        disk.apply(.sync)
        disk.apply(write("b", at: 2 * page, count: page))
        for image in images(of: disk) { #expect(image.prefix(2 * page) == bytes("a", 2 * page)) }
    }

    @Test func `of what was not synced any part may be there, in pages or in sectors`() {
        var disk = Disk()
        disk.apply(write("a", at: 0, count: page))
        disk.apply(.sync)
        disk.apply(write("b", at: 0, count: page))
        #expect(Set(images(of: disk, unit: .page)) == [bytes("a", page), bytes("b", page)])
        let torn = Set(images(of: disk, unit: .sector))
        #expect(torn.count > 2)
        let parts = torn.flatMap { image in stride(from: 0, to: page, by: sector).map { image[$0..<$0 + sector] } }
        #expect(Set(parts.map { Data($0) }) == [bytes("a", sector), bytes("b", sector)])
    }

    @Test func `a unit holds some earlier state, and no later write without the ones before`() {
        var disk = Disk()
        disk.apply(write("a", at: 0, count: page))
        disk.apply(.sync)
        disk.apply(write("b", at: 0, count: 8))
        disk.apply(write("c", at: 8, count: 8))
        let starts = Set(images(of: disk, unit: .page).map { String(decoding: $0.prefix(16), as: UTF8.self) })
        #expect(starts == ["aaaaaaaaaaaaaaaa", "bbbbbbbbaaaaaaaa", "bbbbbbbbcccccccc"])
    }

    @Test func `a synchronous write is there at once, and other pages' writes are not for it`() {
        var disk = Disk()
        disk.apply(write("a", at: page, count: page))
        disk.apply(.write(offset: 0, bytes: bytes("m", 100), isSynchronous: true))
        let all = images(of: disk)
        for image in all { #expect(image.prefix(100) == bytes("m", 100)) }
        #expect(all.contains { $0.count == 100 })
        #expect(all.contains { $0.count == 2 * page && $0.suffix(page) == bytes("a", page) })
    }

    @Test func `an operation that had only begun may be there or not, a synchronous one too`() {
        var disk = Disk()
        disk.apply(write("a", at: 0, count: page))
        disk.apply(.sync)
        disk.begin(.write(offset: 0, bytes: bytes("m", 100), isSynchronous: true))
        #expect(Set(images(of: disk).map { $0[0] }) == [UInt8(ascii: "a"), UInt8(ascii: "m")])
    }

    @Test func `what a failed sync had to write is not in every image, also after a later sync`() {
        var disk = Disk()
        disk.apply(write("a", at: 0, count: 2 * page))
        disk.apply(.sync)
        disk.apply(write("b", at: 0, count: 2 * page))
        disk.apply(.failedSync)
        disk.apply(write("c", at: page, count: 8))
        disk.apply(.sync)
        let all = images(of: disk)
        #expect(Set(all.map { $0.prefix(page) }) == [bytes("a", page), bytes("b", page)])
        // The page that was written again is complete.
        for image in all { #expect(image[page..<2 * page] == bytes("c", 8) + bytes("b", page - 8)) }
    }

    private func bytes(_ letter: String, _ count: Int) -> Data { Data(String(repeating: letter, count: count).utf8) }

    private func write(_ letter: String, at offset: Int, count: Int) -> SyncLog.Operation {
        .write(offset: offset, bytes: bytes(letter, count), isSynchronous: false)
    }

    private func images(of disk: Disk, unit: Disk.Unit = .page) -> [Data] {
        var random = TestRandom(seed: 1)
        return (0..<200).map { number in
            disk.image(chance: [0, 0.5, 1][number % 3], unit: unit, using: &random)
        }
    }
}
