import ModelStore

/// The record that all sides store.
@Record
struct Account {
    @ID var id: Int
    @Unique var email: String
    var name: String
    @Indexed var balance: Int
    var region: String
}

/// Sums up the records that a row of the table found, so that the sides' results can be compared.
struct Checksum: Equatable, CustomStringConvertible {
    var count = 0
    var sum = 0

    var description: String { "\(count) records, sum \(sum)" }

    @inline(__always)
    mutating func add(_ account: Account) {
        let lengths = account.email.utf8.count &+ account.name.utf8.count &* 3 &+ account.region.utf8.count &* 7
        add(account.id &* 31 &+ account.balance &+ lengths)
    }

    @inline(__always)
    mutating func add(_ value: Int) {
        count += 1
        sum &+= value
    }
}
