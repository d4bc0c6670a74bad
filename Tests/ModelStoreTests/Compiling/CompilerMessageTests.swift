import Testing

/// Some errors are invisible to the macros, which see only the spelling of a type. The compiler finds them in the generated code,
/// and should report each one once, with a remedy.
@Suite("Messages of the compiler", .serialized, .enabled(if: Compiler.isAvailable)) struct CompilerMessageTests {
    private static let types = """
        enum Region: String { case north, south }
        struct Plain: Equatable { var a = 1 }
        struct Extra: Codable, Hashable { var a = 1 }
        @Embedded struct Place { var floor: Int }

        """

    @Test func `A field that cannot be stored is told of with a remedy, before anything else`() throws {
        let source = """
            @Record struct Sensor {
                @ID var id: Int
                var a: Plain
                var b: Plain?
                var c: [Plain] = []
                var d: [String: Region]
                var e: Set<Region>?
            }
            """
        let remedy = """
            is unavailable: the store cannot store this type: mark a struct '@Embedded', conform a type with a raw value \
            to 'FieldValue', make any other type Codable and Sendable, or mark the property '@Transient'
            """
        let message = "'init(_:_:renamedFrom:)' \(remedy)"
        let withDefault = "'init(_:_:default:renamedFrom:)' \(remedy)"
        let errors = try Compiler.errors(in: Self.types + source)
        // After these errors, the compiler also rejects the token of each field.
        #expect(errors.prefix(5) == [message, message, withDefault, message, message])
    }

    @Test func `A field that holds a record is answered by a reference`() throws {
        let source = """
            @Record struct Room { @ID var id: Int }
            @Record struct Sensor {
                @ID var id: Int
                var a: Room
                var b: Room?
                var c: [Room] = []
                var d: Reference<Room>
            }
            """
        let remedy =
            "a record cannot be a field of another record: refer to it with Reference, as in 'var room: Reference<Room>'"
        let errors = try Compiler.errors(in: Self.types + source)
        // After these errors, the compiler also rejects the token of each field.
        #expect(errors.filter { $0.hasSuffix(remedy) }.count == 3)
        #expect(errors.prefix(3).allSatisfy { $0.hasSuffix(remedy) }, "\(errors)")
    }

    @Test func `Requests of all records, and of cases without the name of their enum, compile`() throws {
        let source = """
            @Record struct Sensor {
                @ID var id: Int
                var region: Region
                var other: Region?
                var celsius: Double
                var level: Int
                var spare: Int?
            }
            func rows(_ view: borrowing ReadView) throws -> [Sensor] {
                let hot = Sensor.where {
                    $0.region == .north && $0.other != .south && $0.celsius > 3 && $0.level == $0.spare
                }
                return try view.fetch(Sensor.self) + view.fetch(hot)
            }
            """
        #expect(try Compiler.errors(in: Self.types + source) == [])
    }

    @Test func `A name that is no field is reported at its place in orders, projections and key paths`() throws {
        let uses = [
            ("let a = Sensor.order { $0.place.flor.ascending }", "there is no field with this name"),
            ("let b = Sensor.where { $0.id > 2 }.order { $0.room.nam.descending }", "there is no field with this name"),
            ("let c = Sensor.order { $0.other.nam.ascending }", "there is no field with this name"),
            (
                "let d = Sensor.where { $0.id > 2 }.fields { ($0.id, $0.place.flor) }",
                "there is no field with this name"
            ),
            ("let e = Sensor.order { $0.plac.ascending }", "Sensor has id, place, room, other"),
            ("let j = Sensor.where { $0.id > 2 }.fields { ($0.id, $0.plac) }", "Sensor has id, place, room, other"),
            ("func f(_ m: Model<Sensor>) { print(m.plac) }", "'_NoFieldOfThisName' in a key path"),
            ("func g(_ m: Model<Sensor>) { _ = m.values(of: \\.plac) }", "'_NoFieldOfThisName' in a key path"),
            ("func h(_ m: Model<Sensor>) { _ = m.values(of: \\.place.flor) }", "'_NoFieldOfThisName' in a key path"),
            ("func i(_ m: Model<Sensor>) { _ = m.binding(\\.place.flor) }", "'_NoFieldOfThisName' in a key path"),
        ]
        let types = """
            @Record struct Room { @ID var id: Int; var name: String }
            @Record struct Sensor {
                @ID var id: Int
                var place: Place
                var room: Reference<Room>
                var other: Reference<Room>?
            }

            """
        let source = Self.types + types
        let head = source.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        let faults = try Compiler.faults(in: source + uses.map(\.0).joined(separator: "\n"), solverScopes: 10_000)
        for (number, (use, answer)) in uses.enumerated() {
            let own = faults.filter { $0.line == head + number }
            #expect(own.count == 1 && own[0].message.contains(answer), "\(use): \(own)")
        }
        #expect(faults.allSatisfy { $0.line >= head }, "\(faults)")
    }

    @Test func `A field that cannot be compared is one error, at its place`() throws {
        let source = """
            struct Note: Codable, Sendable { var text = "" }
            @Record struct Sensor {
                @ID var id: Int
                var region: Region
                var note: Note
                var notes: [String: Note] = [:]
            }
            @Embedded struct Part {
                var count: Int
                var extra: Extra
                private var note: Note?
            }
            """
        let head = Self.types.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        let faults = try Compiler.faults(in: Self.types + source)
        #expect(faults.map { $0.line - head }.sorted() == [4, 5, 10], "\(faults)")
        #expect(faults.allSatisfy { $0.message.hasSuffix("this type is not Equatable: conform it to Equatable") })
    }

    @Test func `Every error about the type of a property is at the property`() throws {
        let source = """
            struct Note: Codable, Sendable { var text: String }
            @Record struct Sensor {
                @ID var id: Int
                var regions: [Region] = []
                @Indexed var note: Note
                var notes: Set<Note> = []
                var counts: [Note: Int]
                var byName: [String: Region]?
            }
            @Embedded struct Part {
                var regions: Set<Region>
                var plain: Plain?
            }
            @Record struct Room {
                @ID var id: Int
                @Unique var extra: Extra? = Extra()
            }
            """
        let head = Self.types.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        let faults = try Compiler.faults(in: Self.types + source)
        let lines = Set(faults.map { $0.line - head })
        #expect(lines == Set(3...7).union([10, 11, 15]), "\(faults)")
    }

    @Test func `A field that is set on a model is answered by a transaction`() throws {
        let types = """
            @Record struct Sensor {
                @ID var id: Int
                var celsius: Double
                var tags: [String] = []
            }

            """
        let wrong = """
            func set(_ model: Model<Sensor>) {
                model.celsius = 3
                model.celsius += 1
                model.tags.append("x")
            }
            """
        let message = """
            setter for 'subscript(dynamicMember:)' is unavailable: write 'try await model.update { $0.celsius = 3 }', or \
            set a binding
            """
        #expect(try Compiler.errors(in: types + wrong) == [message, message, message])
        let right = """
            func show(_ models: [Model<Sensor>]) -> [Double] { models.map(\\.celsius) + models.map { $0.celsius } }
            func bind(_ model: Model<Sensor>) -> Binding<Double> { model.binding(\\.celsius) }
            func path() -> KeyPath<Model<Sensor>, Double> { \\.celsius }
            """
        #expect(try Compiler.errors(in: types + right) == [])
        let writable = "func path() -> ReferenceWritableKeyPath<Model<Sensor>, Double> { \\.celsius }"
        #expect(try !Compiler.errors(in: types + writable).isEmpty)
    }

    @Test func `An objectWillChange that components would not observe is refused`() throws {
        let head = "import ModelStoreComponents\nfinal class Other: Sendable { func send() {} }\n"
        let message = """
            unavailable property '_objectWillChange' was used to satisfy a requirement of protocol 'ObservableObject': \
            declare 'let objectWillChange = ObjectWillChange()', or leave it out
            """
        let wrong = "final class Session: ObservableObject, Sendable { let objectWillChange = Other() }"
        #expect(try Compiler.errors(in: head + wrong).contains(message))
        let right = """
            final class Plain: ObservableObject, Sendable {}
            final class Own: ObservableObject, Sendable { let objectWillChange = ObjectWillChange() }
            final class Lent: ObservableObject, Sendable {
                let own = Own()
                var objectWillChange: ObjectWillChange { own.objectWillChange }
            }
            func send<Object: ObservableObject>(_ object: Object)
            where Object.ObjectWillChangePublisher == ObjectWillChange {
                object.objectWillChange.send()
            }
            func send() {
                send(Plain())
                send(Own())
                send(Lent())
            }
            """
        #expect(try Compiler.errors(in: head + right) == [])
        // Without the type, a generic function would call the default one of the object, which it may not use.
        let open = "func send<Object: ObservableObject>(_ object: Object) { object.objectWillChange.send() }"
        #expect(try !Compiler.errors(in: head + open).isEmpty)
    }

    @Test func `Updates of rows of fields are refused with what follows them instead`() throws {
        let source = """
            @Record struct Sensor {
                @ID var id: Int
                var room: String
            }
            func follow(_ store: Store) async throws {
                for try await _ in store.updates(of: FetchRequest(Sensor.self).fields { $0.room }.distinct()) {}
                for try await rooms in store.values(of: FetchRequest(Sensor.self), { view, request in
                    try view.fetch(request.fields { $0.room }.distinct())
                }) { print(rooms.value) }
            }
            """
        let message = """
            'updates(of:)' is unavailable: rows of some fields, also distinct rows, have no ids that updates could name: \
            use 'values(of: request) { view, request in try view.fetch(request.fields { … }.distinct()) }'
            """
        #expect(try Compiler.errors(in: Self.types + source) == [message])
    }

    @Test func `An index on a field without an order is one error, with a remedy`() throws {
        let source = """
            @Record @Index("c", "d") struct Sensor {
                @ID var id: Int
                @Indexed var a: Extra
                @Unique var b: Place
                var c: Extra?
                var d: Range<Int>
            }
            """
        let message = """
            '_indexable' is unavailable: values of this type have no order, which an index needs: index a number, a text, \
            a date, a UUID or bytes, or a type with one of these as its raw value
            """
        #expect(try Compiler.errors(in: Self.types + source) == Array(repeating: message, count: 4))
    }

    @Test func `An id without a key is told what can be one`() throws {
        let remedy = """
            values of this type have no order, which an id needs: use a number, a text, a date, a UUID or bytes, or a type \
            with one of these as its raw value
            """
        let single = try Compiler.errors(in: Self.types + "@Record struct Sensor { @ID var id: Extra }")
        let nonconformance = "type 'Sensor' does not conform to protocol 'Record'"
        let unavailable = "unavailable static method '_key(of:)' was used to satisfy a requirement of protocol 'Record'"
        #expect(Set(single) == [nonconformance, "\(unavailable): \(remedy)"])
        let parts = "@Record struct Sensor { @ID var a: Extra\n @ID var b: Int }"
        #expect(try Compiler.errors(in: Self.types + parts) == ["'_append(key:)' is unavailable: \(remedy)"])
    }

    @Test func `Enums with raw values need not say anything of the store`() throws {
        let source = """
            @Record @Index("b", "c") struct Sensor {
                @ID var id: Region
                @Unique var a: Region
                @Indexed var b: Region? = .north
                var c: Region = .south
            }
            """
        #expect(try Compiler.errors(in: Self.types + source) == [])
    }

    @Test func `Other modules are told that a public record has no initializer for them`() throws {
        let library = """
            public enum State: Sendable, Codable { case on, off }
            enum Secret: String { case none }
            @Embedded public struct Place { public var floor: Int }
            @Record public struct Sensor {
                @ID public var id: Int
                public var state: State = .on
                public var place: Place?
                var secret: Secret = .none
                public var opened: Date = .now
            }
            @Record public struct Open {
                @ID public var id: Int
                public var state: State = .on
            }
            extension Open { public init(named id: Int) { self.init(id: id) } }
            func inside() -> [any Record] { [Sensor(id: 1, state: .off), Open(id: 1), Open(named: 2)] }
            """
        let source = """
            let a = Sensor(id: 1)
            let b = Sensor(id: 1, state: .off, place: nil)
            let c = Place(floor: 1)
            let d = Open(id: 1, state: .off)
            let e = Open(named: 1)
            """
        let expected = [
            ("id:state:place:secret:opened:_:", "Sensor"), ("id:state:place:secret:opened:_:", "Sensor"),
            ("floor:_:", "Place"), ("id:state:_:", "Open"),
        ].map { labels, type in
            "'init(\(labels))' is unavailable: '\(type)' has no public initializer: "
                + "declare one, as Swift's memberwise one is internal"
        }
        #expect(try Compiler.errors(in: source, importing: library) == expected)
    }

    @Test func `A wrong call of the memberwise initializer is reported as such in the record's own module`() throws {
        let source = """
            @Record public struct Sensor {
                @ID public var id: Int
                public var name: String = ""
            }
            let a = Sensor(id: "1", name: "x")
            let b = Sensor(id: 1, name: nil)
            """
        #expect(
            try Compiler.errors(in: source) == [
                "cannot convert value of type 'String' to expected argument type 'Int'",
                "'nil' is not compatible with expected argument type 'String'",
            ])
    }

    @Test func `A record with a public initializer can be made in other modules, without what is not public`() throws {
        let library = """
            public import Foundation
            public import ModelStore
            @Record("probe", publicInit: true) public struct Sensor {
                @ID public var id: String
                public var celsius = 0.0
                public var tags = ["new"]
                public var made: Date = .now
                var note: String?
                private var hits = 3
            }
            public enum House {
                public enum Kind: String, Sendable { case hall, attic }
                @Record(publicInit: true) public struct Room {
                    @ID public var name: String
                    public var kind: Kind = .hall
                }
            }
            @Record(publicInit: false) public struct Closed { @ID public var id: Int }
            """
        let source = """
            let a = Sensor(id: "a")
            let b = Sensor(id: "b", celsius: 3, tags: [], made: .transactionTime)
            let c = House.Room(name: "x", kind: .attic)
            let d = Sensor(id: "d", note: "x")
            let e = Closed(id: 3)
            """
        let errors = try Compiler.errors(in: source, importing: library)
        #expect(errors.count == 2, "\(errors)")
        #expect(errors.first?.contains("extra argument 'note' in call") == true)
        #expect(errors.last?.contains("'Closed' has no public initializer") == true)
    }

    @Test func `Properties with literals need no type`() throws {
        let source = """
            @Record struct Counter {
                @ID(.assigned) var id = 0
                var count = 0
                var ratio = -1.5, name = "x", isOn = true
                var tags = ["a", "b"]
                var sizes = ["s": 1]
                @Transient var hits = 3
            }
            let counter = Counter(count: 3, ratio: 2, name: "y", tags: [])
            let request = Counter.where { $0.count > 2 && $0.ratio < 0.5 && $0.isOn == true && $0.name == "x" }
            let all: FetchRequest<Counter> = Counter.all
            """
        #expect(try Compiler.errors(in: source) == [])
    }

    @Test func `The deletion of all records is refused with the call that does it`() throws {
        let source = """
            @Record struct Sensor { @ID var id: Int }
            func f(_ tx: inout WriteTransaction) throws { try tx.delete(Sensor.self) }
            """
        #expect(
            try Compiler.errors(in: source) == [
                "'delete' is unavailable: use 'deleteAll(_:)' for all records, or 'delete(_:id:)' for one"
            ])
    }

    @Test func `The deletion of a record is refused with the two calls that delete it`() throws {
        let source = """
            @Record struct Sensor { @ID var id: Int }
            func f(_ tx: inout WriteTransaction, _ sensor: Sensor) throws { try tx.delete(sensor) }
            """
        #expect(
            try Compiler.errors(in: source) == [
                "'delete' is unavailable: name the type and the id, as in delete(Sensor.self, id: sensor.id), or write "
                    + "delete(ifUnchanged: sensor)"
            ])
    }
}
