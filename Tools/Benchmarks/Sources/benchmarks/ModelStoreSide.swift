import ModelStore
@_spi(Measuring) import StoreEngine

/// ModelStore through its public interface.
final class ModelStoreSide: Side {
    private let store: Store

    init(directory: String) throws {
        store = try Store(at: directory, records: Account.self, Visit.self)
    }

    func close() { store.close() }

    func insertTogether(_ accounts: [Account]) throws { try insertTogether(accounts, isFed: true) }

    /// Inserts accounts in one transaction.
    ///
    /// - Parameter isFed: whether the transaction has a change set, as it always does in a program.
    func insertTogether(_ accounts: [Account], isFed: Bool) throws {
        try store.write { transaction in
            if !isFed { transaction.leaveOutOfFeed() }
            for account in accounts { try transaction.insert(account) }
        }
    }

    func insertOneByOne(_ accounts: [Account]) throws {
        for account in accounts {
            try store.write { transaction in _ = try transaction.insert(account) }
        }
    }

    /// As ``insertOneByOne(_:)``, with the asynchronous form of `write`.
    func insertOneByOneAwaiting(_ accounts: [Account]) async throws {
        for account in accounts {
            try await store.write { transaction in _ = try transaction.insert(account) }
        }
    }

    /// Inserts from as many tasks as there are slices, each record in a write of its own.
    func insert(fromTasks slices: [ArraySlice<Account>]) async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for slice in slices {
                group.addTask {
                    for account in slice {
                        try await store.write { transaction in _ = try transaction.insert(account) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func readOneByOne(_ ids: [Int]) throws -> Checksum {
        var checksum = Checksum()
        for id in ids {
            if let account = try store.read({ try $0.get(Account.self, id: id) }) { checksum.add(account) }
        }
        return checksum
    }

    func readTogether(_ ids: [Int]) throws -> Checksum {
        try store.read { transaction in
            var checksum = Checksum()
            for id in ids {
                if let account = try transaction.get(Account.self, id: id) { checksum.add(account) }
            }
            return checksum
        }
    }

    func readBalances(_ ids: [Int]) throws -> Checksum {
        try store.read { transaction in
            var checksum = Checksum()
            for id in ids {
                if let balance = try transaction.value(Account.self, id: id, \.balance) { checksum.add(balance) }
            }
            return checksum
        }
    }

    func readByEmailOneByOne(_ emails: [String]) throws -> Checksum {
        var checksum = Checksum()
        for email in emails {
            let found = try store.read { try $0.get(Account.self, unique: \.email, equals: email) }
            if let found { checksum.add(found) }
        }
        return checksum
    }

    func readByEmailTogether(_ emails: [String]) throws -> Checksum {
        try store.read { transaction in
            var checksum = Checksum()
            for email in emails {
                let found = try transaction.get(Account.self, unique: \.email, equals: email)
                if let found { checksum.add(found) }
            }
            return checksum
        }
    }

    func fetch(ids: [Int]) throws -> Checksum { try fetch(Account.where { $0.id.in(ids) }) }

    func fetchBalances(from balance: Int, limit: Int) throws -> Checksum {
        let request = Account.where { $0.balance >= balance }.order { $0.balance.ascending }.limit(limit)
        return try fetch(request)
    }

    func fetchHoldings(from balance: Int, limit: Int) throws -> Checksum {
        let request = Account.where { $0.balance >= balance }.order { $0.balance.ascending }.limit(limit)
        return try store.read { transaction in
            var checksum = Checksum()
            for (id, balance) in try transaction.fetch(request.fields { ($0.id, $0.balance) }) {
                checksum.add(id &* 31 &+ balance)
            }
            return checksum
        }
    }

    func countBalances(in range: Range<Int>) throws -> Int {
        try store.read { try $0.count(Account.where { $0.balance.in(range) }) }
    }

    func fetchLastNames(limit: Int) throws -> Checksum {
        try fetch(Account.order { $0.name.descending }.limit(limit))
    }

    func countEmails(containing text: String) throws -> Int {
        try store.read { try $0.count(Account.where { $0.email.contains(text) }) }
    }

    func insertVisits(_ visits: [Visit]) throws {
        try store.write { transaction in
            for visit in visits { try transaction.insert(visit) }
        }
    }

    func fetchVisits(place: Int, day: Int) throws -> Checksum {
        try store.read { transaction in
            var checksum = Checksum()
            let request = Visit.where { $0.place == place && $0.day == day }.order { $0.id.ascending }
            for visit in try transaction.fetch(request) { checksum.add(visit) }
            return checksum
        }
    }

    private func fetch(_ request: FetchRequest<Account>) throws -> Checksum {
        try store.read { transaction in
            var checksum = Checksum()
            for account in try transaction.fetch(request) { checksum.add(account) }
            return checksum
        }
    }

    func scan() throws -> Checksum {
        try store.read { transaction in
            var checksum = Checksum()
            try transaction.forEach(Account.self) { account in
                checksum.add(account)
                return true
            }
            return checksum
        }
    }
}
