import Foundation
import ModelStore

/// The versions of an address book: one splits names, the next changes ids to texts.
enum Book1 {
    @Record("Person")
    struct Person {
        @ID(.assigned) var id: Int = 0
        @Indexed var name: String
        var pets: [String]
    }
}

enum Book2 {
    @Record("Person")
    struct Person {
        @ID(.assigned) var id: Int = 0
        var given: String
        @Indexed var family: String
        var pets: [String]
    }
}

enum Book3 {
    @Record("Person")
    struct Person {
        @ID var id: String
        var given: String
        @Indexed var family: String
    }

    @Record("Pet")
    struct Pet {
        @ID var name: String
        var owner: String
    }

    static let plan = MigrationPlan(
        MigrationVersion("one", Book1.Person.self),
        MigrationVersion(
            "two", Book2.Person.self,
            steps: .transform(Book1.Person.self, to: Book2.Person.self) { old in
                let parts = old.name.split(separator: " ").map(String.init)
                guard parts.count == 2 else { throw UnknownName(name: old.name) }
                return Book2.Person(id: old.id, given: parts[0], family: parts[1], pets: old.pets)
            }),
        MigrationVersion(
            "three", Book3.Person.self, Book3.Pet.self,
            steps: .change { tx in
                var pets: [Book3.Pet] = []
                try tx.forEach(Book2.Person.self) { person in
                    pets += person.pets.map { Book3.Pet(name: $0, owner: "p\(person.id)") }
                    return true
                }
                for pet in pets { try tx.insert(pet) }
            },
            .transform(Book2.Person.self, to: Book3.Person.self) { old in
                old.family == "Doe" ? nil : Book3.Person(id: "p\(old.id)", given: old.given, family: old.family)
            }))
}

struct UnknownName: Error {
    let name: String
}
