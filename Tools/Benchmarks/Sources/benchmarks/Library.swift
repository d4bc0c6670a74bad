import Foundation
import GRDB
import ModelStore

/// The target side of the row about prefetching: an author with many books.
@Record
struct Author {
    @ID var id: Int
    var name: String

    /// The author's books.
    static let books = Inverse<Author, Book>(\.author)
}

/// The referring side.
@Record
struct Book {
    @ID var id: Int
    var author: ModelStore.Reference<Author>
    var title: String
}

/// Authors with ten books each. The ids of the books are in random order.
struct LibraryData {
    static let booksOfEach = 10
    let authors: [Author]
    let books: [Book]

    init(authorCount: Int) {
        var random = SplitMix64(state: 17)
        authors = (0..<authorCount).map { Author(id: $0, name: "Author \(random.next() % 10_000)") }
        let ids = (0..<authorCount * Self.booksOfEach).shuffled(using: &random)
        books = ids.enumerated().map { place, id in
            Book(id: id, author: .init(place / Self.booksOfEach), title: "A book about \(random.next() % 1_000_000)")
        }.sorted { $0.id < $1.id }
    }
}

/// ModelStore's side.
struct ModelStoreLibrary {
    private let store: Store

    init(directory: String, _ data: LibraryData) throws {
        store = try Store(at: directory, records: Author.self, Book.self)
        try store.write { transaction in
            for author in data.authors { try transaction.insert(author) }
            for book in data.books { try transaction.insert(book) }
        }
    }

    /// Returns a checksum of the first authors, each with all books.
    func prefetch(_ count: Int) throws -> Checksum {
        let request = Author.order { $0.id.ascending }.limit(count)
        return try store.read { transaction in
            var checksum = Checksum()
            for (author, books) in try transaction.fetch(request, with: Author.books) {
                checksum.add(author, books)
            }
            return checksum
        }
    }

    func close() { store.close() }
}

/// GRDB's side: with an association, as its documentation advises, and with two requests that are combined by hand.
struct GRDBLibrary {
    private struct AuthorRow: TableRecord, FetchableRecord {
        static let databaseTableName = "author"
        static let books = hasMany(BookRow.self)
        let id: Int
        let name: String

        init(row: GRDB.Row) {
            id = row[0]
            name = row[1]
        }
    }

    private struct BookRow: TableRecord, FetchableRecord {
        static let databaseTableName = "book"
        let id: Int
        let authorID: Int
        let title: String

        init(row: GRDB.Row) {
            id = row[0]
            authorID = row[1]
            title = row[2]
        }
    }

    private let pool: DatabasePool

    init(directory: String, _ data: LibraryData) throws {
        pool = try GRDBSide.openPool(directory: directory, isTuned: true)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL);
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY NOT NULL, authorID INTEGER NOT NULL REFERENCES author (id),
                        title TEXT NOT NULL);
                    CREATE INDEX book_author ON book (authorID);
                    """)
            for author in data.authors {
                let statement = try database.cachedStatement(sql: "INSERT INTO author VALUES (?, ?)")
                statement.setUncheckedArguments([author.id, author.name])
                try statement.execute()
            }
            for book in data.books {
                let statement = try database.cachedStatement(sql: "INSERT INTO book VALUES (?, ?, ?)")
                statement.setUncheckedArguments([book.id, book.author.id, book.title])
                try statement.execute()
            }
        }
    }

    func prefetchByHand(_ count: Int) throws -> Checksum {
        try pool.read { database in
            let authors = try AuthorRow.fetchAll(
                database.cachedStatement(sql: "SELECT id, name FROM author ORDER BY id LIMIT ?"), arguments: [count])
            let ids = authors.map { "\($0.id)" }.joined(separator: ",")
            let books = try BookRow.fetchAll(
                database, sql: "SELECT id, authorID, title FROM book WHERE authorID IN (\(ids)) ORDER BY authorID, id")
            let grouped = Dictionary(grouping: books, by: \.authorID)
            var checksum = Checksum()
            for author in authors {
                checksum.add(
                    Author(id: author.id, name: author.name),
                    (grouped[author.id] ?? []).map { Book(id: $0.id, author: .init($0.authorID), title: $0.title) })
            }
            return checksum
        }
    }

    func prefetchByAssociation(_ count: Int) throws -> Checksum {
        try pool.read { database in
            let association = AuthorRow.books.order(Column("id"))
            let rows = try GRDB.Row.fetchAll(
                database, AuthorRow.including(all: association.forKey("books")).order(Column("id")).limit(count))
            var checksum = Checksum()
            for row in rows {
                let books = row.prefetchedRows["books"] ?? []
                checksum.add(
                    Author(id: row["id"], name: row["name"]),
                    books.map { Book(id: $0["id"], author: .init($0["authorID"]), title: $0["title"]) })
            }
            return checksum
        }
    }

    func close() throws { try pool.close() }
}

extension Checksum {
    mutating func add(_ author: Author, _ books: [Book]) {
        add(author.id &* 31 &+ author.name.utf8.count)
        for (place, book) in books.enumerated() {
            add(book.id &* (place &+ 1) &+ book.title.utf8.count &+ book.author.id)
        }
    }
}

extension Session {
    /// Measures the row that reads records together with the records that refer to them.
    func measurePrefetching() throws {
        let row = TableRow(
            name: "10 prefetch", what: "1,000 records with ten each that refer to them; plain GRDB by its association",
            operations: 1, targets: [.grdb: 1.2, .raw: 1.2])
        guard isWanted(row.name) else { return }
        let data = LibraryData(authorCount: 10_000)
        for kind in [SideKind.modelStore, .grdb] {
            try FileManager.default.createDirectory(atPath: path(kind, "library"), withIntermediateDirectories: true)
        }
        let modelStore = try ModelStoreLibrary(directory: path(.modelStore, "library"), data)
        let grdb = try GRDBLibrary(directory: path(.grdb, "library"), data)
        let raw = try RawLibrary(directory: path(.raw, "library"), data)
        try measure(row) { kind in
            switch kind {
            case .modelStore: try modelStore.prefetch(1_000)
            case .grdb: try grdb.prefetchByHand(1_000)
            case .plainGRDB: try grdb.prefetchByAssociation(1_000)
            case .raw: try raw.prefetch(1_000)
            }
        }
        modelStore.close()
        raw.close()
        try grdb.close()
    }
}
