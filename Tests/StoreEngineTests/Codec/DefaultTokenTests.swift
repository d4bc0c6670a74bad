import Foundation
import StoreEngine
import Testing

@Suite struct DefaultTokenTests {
    @Test func `the token for the transaction's time can be printed and equals itself`() throws {
        let token = Date.transactionTime
        #expect(token == Date.transactionTime)
        #expect(token.description.hasPrefix("2001-01-01"))
        #expect("\([Optional(token)])".contains("2001-01-01"))
        #expect(try Date(from: token.encoded()) == token)
    }

    @Test func `the token is no time that a program writes down`() {
        #expect(Date.transactionTime != Date(timeIntervalSinceReferenceDate: 0))
        #expect(Date.transactionTime.timeIntervalSinceReferenceDate.isSubnormal)
    }
}
