import CLMDBRaw
import ModelStore

/// Raw LMDB's side of row 10. It takes the keys of all books from the index, sorts them, and finds the books with one cursor.
@safe
final class RawLibrary {
    private let tables: RawTables
    private var authors: MDB_dbi { tables.databases[0] }
    private var books: MDB_dbi { tables.databases[1] }
    private var index: MDB_dbi { tables.databases[2] }

    init(directory: String, _ data: LibraryData) throws {
        tables = try RawTables(directory: directory, databases: ["authors", "books", "author"])
        let (key, value) = (tables.key, tables.value)
        try unsafe tables.write { transaction in
            for author in data.authors {
                key.removeAll()
                key.append(keyOf: author.id)
                value.removeAll()
                value.append(zeros: 24)
                value.append(integer: author.id)
                value.append(author.name)
                unsafe try tables.put(authors, transaction)
            }
            for book in data.books {
                key.removeAll()
                key.append(keyOf: book.id)
                value.removeAll()
                value.append(zeros: 24)
                value.append(integer: book.id)
                value.append(integer: book.author.id)
                value.append(book.title)
                unsafe try tables.put(books, transaction)
                key.removeAll()
                key.append(keyOf: book.author.id)
                key.append(keyOf: book.id)
                value.removeAll()
                value.append(zeros: 2)
                unsafe try tables.put(index, transaction)
            }
        }
    }

    func close() { tables.close() }

    /// A book to find: its key as a sortable number, and its index among all requested books.
    private struct Wanted {
        let key: UInt64
        let place: Int
    }

    func prefetch(_ count: Int) throws -> Checksum {
        try unsafe tables.read { transaction in
            let authors = unsafe try firstAuthors(count, transaction)
            var wanted: [Wanted] = []
            var ends: [Int] = []
            try unsafe tables.withCursor(index, transaction) { cursor in
                for author in authors {
                    tables.key.removeAll()
                    tables.key.append(keyOf: author.id)
                    try unsafe tables.walkPrefix(cursor) { id in
                        let key = unsafe UInt64(bigEndian: id.loadUnaligned(as: UInt64.self))
                        wanted.append(Wanted(key: key, place: wanted.count))
                    }
                    ends.append(wanted.count)
                }
            }
            wanted.sort { $0.key < $1.key }
            let books = unsafe try books(wanted, transaction)
            var checksum = Checksum()
            var start = 0
            for (author, end) in zip(authors, ends) {
                checksum.add(author, books[start..<end].compactMap(\.self))
                start = end
            }
            return checksum
        }
    }

    private func firstAuthors(_ count: Int, _ transaction: OpaquePointer) throws -> [Author] {
        try unsafe tables.withCursor(authors, transaction) { cursor in
            var authors: [Author] = []
            var key = unsafe MDB_val()
            var found = unsafe MDB_val()
            while authors.count < count, unsafe mdb_cursor_get(cursor, &key, &found, MDB_NEXT) == 0 {
                authors.append(unsafe Author(id: found.integer(at: 24), name: found.text(from: 32)))
            }
            return authors
        }
    }

    private func books(_ wanted: [Wanted], _ transaction: OpaquePointer) throws -> [Book?] {
        var books: [Book?] = Array(repeating: nil, count: wanted.count)
        try unsafe tables.withCursor(self.books, transaction) { cursor in
            for book in wanted {
                tables.key.removeAll()
                tables.key.append(integer: book.key.bigEndian)
                var key = unsafe tables.key.bytes
                var found = unsafe MDB_val()
                try unsafe check(mdb_cursor_get(cursor, &key, &found, MDB_SET_KEY), "mdb_cursor_get")
                books[book.place] = unsafe Book(
                    id: found.integer(at: 24), author: .init(found.integer(at: 32)), title: found.text(from: 40))
            }
        }
        return books
    }
}
