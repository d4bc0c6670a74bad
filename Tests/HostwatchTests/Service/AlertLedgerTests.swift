import ModelStore
import ModelStoreReplication
import Testing

@testable import Hostwatch

@Suite("Alerts") struct AlertLedgerTests {
    private static func entry(_ id: String, _ text: String = "x") -> AlertLedger.Entry {
        AlertLedger.Entry(id: id, name: id, text: text)
    }

    @Test func `Only what begins and what ends is told, by kind`() {
        var ledger = AlertLedger()
        #expect(ledger.update(.mount, []) == [])
        #expect(
            ledger.update(.mount, [Self.entry("/"), Self.entry("/a")])
                == ["alert begins: mount /: x", "alert begins: mount /a: x"])
        #expect(ledger.update(.mount, [Self.entry("/a", "y"), Self.entry("/")]) == [])
        #expect(ledger.update(.process, [Self.entry("/")]) == ["alert begins: process /: x"])
        #expect(
            ledger.update(.mount, [Self.entry("/b"), Self.entry("/a")])
                == ["alert ends: mount /", "alert begins: mount /b: x"])
        #expect(ledger.update(.mount, []) == ["alert ends: mount /b", "alert ends: mount /a"])
        #expect(ledger.update(.process, []) == ["alert ends: process /"])
    }

    @Test func `An error with another code is another problem`() {
        var ledger = AlertLedger()
        func told(_ code: StoreError.Code) -> Int {
            ledger.update(.mirror, [AlertLedger.Entry(mirroring: StoreError(code, "x"))]).count
        }
        #expect([told(.logUnavailable), told(.logUnavailable), told(.replicaDiverged)] == [1, 0, 2])
    }
}
