import Foundation
import StoreEngine
import Testing

@Suite struct DefaultTokenTests {
    @Test func `the token for the transaction's time can be printed and equals itself`() throws {
        let token = Date.transactionTime
        #expect(token == Date.transactionTime)
        #expect(!token.description.isEmpty)
        #expect(!"\([Optional(token)])".isEmpty)
        #expect(try Date(from: token.encoded()) == token)
    }

    @Test func `the token is no time that a program writes down`() {
        #expect(Date.transactionTime != Date(timeIntervalSinceReferenceDate: 0))
        #expect(Date.transactionTime != .distantPast)
        #expect(Date.transactionTime < Date(timeIntervalSince1970: -60_000_000_000))
    }
}
