import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// No result of a store depends on the hashes in its long keys: one store of format 3, and two with a secret each.
@Suite("Stores with other secrets") struct KeySecretTests {
    @Record struct Team: Equatable {
        @ID var id: String
        var note: String = ""

        static let players = Inverse<Team, Player>(\.team)
    }

    @Record struct Player: Equatable {
        @ID var id: String
        @Reference(onDelete: .cascade) var team: Reference<Team>
        @Reference(onDelete: .nullify) var rival: Reference<Player>?
        @Unique var mark: String
        @Indexed var rank: Int
    }

    private enum Operation: Sendable {
        case putTeam(Int, String)
        case putPlayer(Int, team: Int, rival: Int?, mark: Int, rank: Int)
        case deleteTeam(Int)
        case deletePlayer(Int)
        case deleteRank(Int)

        init(_ random: inout TestRandom) {
            switch random.below(10) {
            case 0, 1: self = .putTeam(random.below(8), "\(random.below(3))")
            case 2: self = .deleteTeam(random.below(8))
            case 3: self = .deletePlayer(random.below(24))
            case 4: self = .deleteRank(random.below(6))
            default:
                self = .putPlayer(
                    random.below(24), team: random.below(8), rival: random.oneIn(2) ? random.below(24) : nil,
                    mark: random.below(40), rank: random.below(6))
            }
        }

        /// Runs the operation, and returns its result or its error.
        func run(_ tx: inout WriteTransaction) -> String {
            do {
                switch self {
                case .putTeam(let number, let note): try tx.upsert(Team(id: KeySecretTests.text(number), note: note))
                case .putPlayer(let number, let team, let rival, let mark, let rank):
                    try tx.upsert(
                        Player(
                            id: KeySecretTests.text(number), team: Reference(KeySecretTests.text(team)),
                            rival: rival.map { Reference(KeySecretTests.text($0)) },
                            mark: KeySecretTests.text(mark), rank: rank))
                case .deleteTeam(let number): return "\(try tx.delete(Team.self, id: KeySecretTests.text(number)))"
                case .deletePlayer(let number): return "\(try tx.delete(Player.self, id: KeySecretTests.text(number)))"
                case .deleteRank(let rank):
                    // Without the order, the change set has the order of the index.
                    let all = try tx.fetch(Player.where { $0.rank == rank }.order { $0.id.ascending })
                    for player in all { try tx.delete(Player.self, id: player.id) }
                    return "\(all.count)"
                }
                return "done"
            } catch {
                return "\(error)"
            }
        }
    }

    /// Ids whose first bytes are equal, as many as a truncated key keeps, and others. Their order is not that of the numbers.
    private static func text(_ number: Int) -> String {
        switch number % 4 {
        case 0: "\(number)"
        case 1: String(repeating: "b", count: 250 + number)
        default: String(repeating: "c", count: 300) + "\(number * 7_919 % 1_000)"
        }
    }

    private static func options() -> StoreOptions {
        var options = StoreOptions()
        options.usesRedoLog = false
        options.clock = { Date(timeIntervalSinceReferenceDate: 700_000_000) }
        options.randomSeed = { 7 }
        return options
    }

    private static func store(_ directory: TestDirectory, isOld: Bool) throws -> Store {
        if isOld {
            try Store(at: directory.path, records: Team.self, Player.self, options: options()).close()
            try OlderFormat.give(3, toStoreAt: directory.path)
        }
        return try Store(at: directory.path, records: Team.self, Player.self, options: options())
    }

    /// The answers of a store to its readers.
    private struct View: Equatable {
        var results: [String]
        var feed: [[UInt8]] = []
        var head: UInt64
        var changes: [String] = []
        var players: [Player]
        var byRank: [Player]
        var token: PageToken?
        var page: [Player]
        var teams: [Team?]
        var referrers: [[Player]]
        var contentHash: UInt64
        var contentSum: ContentSum
        /// The players in the middle of the history.
        var earlier: [Player]

        init(_ store: Store, _ results: [String]) throws {
            self.results = results
            (head, feed, contentHash, contentSum) = try store.read { tx in
                let scope = tx._reading
                let head = try scope.feedHead()
                let feed = try (1...head.sequence).map { sequence in
                    try FeedReader.stream(sequence, in: scope.state.databases.feed, scope.snapshot)?.bytes ?? []
                }
                return (head.hash, feed, try scope.contentHash(), try scope.contentSum())
            }
            for sequence in 3...UInt64(feed.count) {
                let changeSet = try store.changeSet(sequence: sequence)
                changes += try changeSet.changes(of: Player.self).map { "\(sequence) \($0.kind) \($0.id)" }
            }
            players = try store.fetch(Player.order { $0.id.ascending })
            byRank = try store.fetch(Player.order { [$0.rank.descending, $0.id.ascending] })
            let first = Player.order { $0.rank.ascending }.limit(5)
            token = try store.page(first).next
            page = try store.fetch(token.map { first.after($0) } ?? first)
            teams = try store.read { tx in try (0..<8).map { try tx.get(Team.self, id: KeySecretTests.text($0)) } }
            referrers = try store.read { tx in
                try tx.fetch(Team.order { $0.id.ascending }, with: Team.players).map { $0.1 }
            }
            let middle = try store.changeSet(sequence: UInt64(feed.count) / 2).position
            earlier = try store.read(at: middle) { tx in try tx.fetch(Player.order { $0.id.ascending }) }
        }
    }

    @Test(arguments: TestLength.seeds(6, long: 200))
    func `the same operations give the same feed, results and sums`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let closures = (0..<60).map { _ in (0..<3).map { _ in Operation(&random) } }
        var views: [View] = []
        for isOld in [true, false, false] {
            let directory = try TestDirectory()
            let store = try Self.store(directory, isOld: isOld)
            defer { store.close() }
            try store.blockingWrite { tx in
                for number in 0..<24 {
                    if number < 8 { try tx.insert(Team(id: Self.text(number), note: "")) }
                    let team = Reference<Team>(Self.text(number % 8))
                    let (id, mark) = (Self.text(number), Self.text(number))
                    try tx.insert(Player(id: id, team: team, rival: nil, mark: mark, rank: number % 6))
                }
            }
            var results: [String] = []
            for closure in closures {
                do {
                    results += try store.blockingWrite { tx in closure.map { $0.run(&tx) } }
                } catch {
                    results.append("\(error)")
                }
            }
            var found: [String] = []
            try store.verify { found.append("\($0)") }
            #expect(found == [])
            views.append(try View(store, results))
        }
        #expect(views[0] == views[1])
        #expect(views[1] == views[2])
    }
}
