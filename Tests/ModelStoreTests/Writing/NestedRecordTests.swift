import Foundation
import ModelStore
import Testing

/// Types used as namespaces. The records inside them use declarations of the enclosing type in fields, defaults and ids.
private enum Library {
    enum Genre: String, IndexableValue, CaseIterable {
        case novel, poetry
    }

    @Embedded struct Shelf {
        enum Side: String, IndexableValue { case left, right }

        var genre: Genre = Genre.poetry
        var side: Side? = Side.left
        var number: Int
    }

    static let firstNumber = 7

    @Record struct Author { @ID var name: String }

    @Record
    @Index("genre", "title")
    struct Book {
        @ID var title: String
        @Indexed var genre: Genre = Genre.novel
        @Reference(onDelete: .cascade) var author: Reference<Author>
        @Reference(onDelete: .nullify) var editors: [Reference<Author>] = []
        var shelf: Shelf = Shelf(number: firstNumber)
        var previous: Self.ID?
    }

    @Record struct Card {
        @ID var genre: Genre
        @ID var number: Int
        var added: Date = .now
        var isLent: Bool = Library.Genre.allCases.isEmpty
    }
}

private extension Library {
    @Record struct Visit {
        @ID(.assigned) var number: Int = 0
        var wanted: Genre? = .poetry
        var books: [Reference<Book>] = []
    }
}

private final class Desk {
    struct Label: Codable, Equatable, Sendable { var text: String }

    @Record struct Item {
        @ID var number: Int
        var label: Label = Label(text: "none")
    }
}

private actor Counter {
    enum Kind: String, IndexableValue { case plain }

    struct Hall {
        @Record("Counter.Ticket") struct Ticket {
            @ID var number: Int
            @Indexed var kind: Kind = Kind.plain
        }
    }
}

@Suite struct NestedRecordTests {
    @Test func `records in enums, classes and actors name what is around them`() throws {
        let store = try Store.temporary(
            records: Library.Author.self, Library.Book.self, Library.Card.self, Library.Visit.self, Desk.Item.self,
            Counter.Hall.Ticket.self)
        try store.write { tx in
            for name in ["ann", "bob"] { try tx.insert(Library.Author(name: name)) }
            try tx.insert(Library.Book(title: "a", author: Reference("ann"), editors: [Reference("bob")]))
            try tx.insert(Library.Book(title: "b", genre: .poetry, author: Reference("bob"), previous: "a"))
            try tx.insert(Library.Card(genre: .poetry, number: 1))
            try tx.insert(Library.Visit(books: [Reference("b")]))
            try tx.insert(Desk.Item(number: 1))
            try tx.insert(Counter.Hall.Ticket(number: 2))
        }
        try store.read { tx in
            let novels = try tx.fetch(Library.Book.where { $0.genre == .novel && $0.author.name == "ann" })
            #expect(novels.map(\.title) == ["a"])
            #expect(novels.first?.shelf == Library.Shelf(genre: .poetry, side: .left, number: 7))
            #expect(try tx.fetch(Library.Book.where { $0.shelf.side == .left && $0.shelf.genre == .poetry }).count == 2)
            #expect(try tx.get(Library.Card.self, id: Library.Card.ID(genre: .poetry, number: 1))?.isLent == false)
            #expect(try tx.all(Library.Visit.self).map(\.wanted) == [.poetry])
            #expect(try tx.get(Desk.Item.self, id: 1)?.label.text == "none")
            #expect(try tx.fetch(Counter.Hall.Ticket.where { $0.kind == .plain }).map(\.number) == [2])
        }
    }

    @Test func `a nested record has its own name in the store, or the one that it is given`() {
        #expect(Library.Book.recordSchema.name == "Book")
        #expect(Counter.Hall.Ticket.recordSchema.name == "Counter.Ticket")
        let defaults = Library.Book.recordSchema.fields.map { $0.defaultValue != nil }
        #expect(defaults == [false, true, false, true, true, false])
    }
}
