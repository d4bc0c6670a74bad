import Testing

/// The type checker's work for conditions. The tests count its steps, because time depends on the machine.
@Suite("Type checking of conditions", .serialized, .enabled(if: Compiler.isAvailable)) struct ConditionTypeCheckingTests
{
    private static let types = """
        enum Mode: String { case eco, boost }
        @Embedded struct Place { var city: String; var floor: Int? }
        @Record struct Heater {
            @ID var id: Int
            var room: String
            var celsius: Double
            var target: Double
            var note: String?
            var mode: Mode?
            var tags: [String] = []
            var place: Place
            var places: [Place] = []
            var spare: Int?
            var isOpen: Bool = false
            var kind: Mode = .eco
        }

        """

    private func errors(_ condition: String, scopes: Int) throws -> [String] {
        try Compiler.errors(in: Self.types + "let request = Heater.where { \(condition) }", solverScopes: scopes)
    }

    @Test func `ten terms of all kinds take few steps`() throws {
        let terms = [
            "$0.room == \"kitchen\"", "$0.celsius > 30", "$0.note != nil", "$0.mode == .eco", "$0.celsius < $0.target",
            "$0.place.city == \"Bonn\"", "$0.place.floor > 2", "$0.id.in(1...5)", "$0.tags.contains(\"x\")",
            "$0.room.hasPrefix(\"k\")",
        ]
        #expect(try errors(terms.joined(separator: " && "), scopes: 2_000) == [])
        #expect(try errors(terms.joined(separator: " || "), scopes: 2_000) == [])
        let calculated = [
            "$0.id * 100 > $0.id * 90", "$0.celsius * 2 > $0.target", "$0.spare + 1 == 3",
            "$0.celsius + $0.target < 50",
            "$0.id % 2 == 0", "$0.tags.any { $0.hasPrefix(\"x\") }",
            "$0.places.any { $0.floor > 2 && $0.city == \"Bonn\" }",
            "$0.room == \"kitchen\"", "$0.celsius > 30", "100 - $0.id > $0.spare",
        ]
        #expect(try errors(calculated.joined(separator: " && "), scopes: 20_000) == [])
        let mixed = [
            "$0.place.floor == $0.id", "$0.spare < $0.id", "$0.id >= $0.spare", "$0.note != $0.room",
            "$0.place.floor != $0.spare", "$0.celsius < $0.target", "$0.room == $0.note", "$0.spare > $0.place.floor",
            "$0.id == $0.spare", "$0.note == $0.place.city",
        ]
        #expect(try errors(mixed.joined(separator: " && "), scopes: 5_000) == [])
        // A much smaller limit fails, so the compiler does enforce it.
        #expect(try errors(terms.joined(separator: " && "), scopes: 5) != [])
    }

    @Test(arguments: [
        ("{ $0.room }", "state the direction"), ("{ ($0.room.ascending, $0.id.descending) }", "as an array"),
        ("(\\.room)", "in a closure"),
    ])
    func `what people write for an order at first is answered by what to write`(order: String, answer: String) throws {
        for subject in ["Heater", "FetchRequest(Heater.self)"] {
            let errors = try Compiler.errors(
                in: Self.types + "let request = \(subject).order \(order)", solverScopes: 2_000)
            #expect(errors.contains { $0.contains(answer) }, "\(subject): \(errors)")
        }
    }

    @Test(arguments: [
        "$0.id * $0.room > 3 && $0.room == \"kitchen\"", "-$0.id > 5 && $0.celsius > 30",
        "$0.id * -$0.celsius > 5 && $0.celsius + 1 > 30", "$0.room + 1 > 5 && $0.id > 3",
        "$0.id > 3 && $0.note * 2 == 5 && $0.celsius > 30",
        "$0.id + $0.room > 3 && $0.id > 2 && $0.room == \"x\"",
    ])
    func `wrong calculations are told in few steps`(condition: String) throws {
        let errors = try errors(condition, scopes: 3_000)
        #expect(!errors.isEmpty && !errors.contains { $0.contains("reasonable time") }, "\(errors)")
    }

    private static let tenTerms = [
        "$0.room == \"kitchen\"", "$0.celsius > 30", "$0.note != nil", "$0.celsius * 2 > $0.target",
        "$0.place.city == \"Bonn\"", "$0.isOpen == true", "$0.mode == .eco", "$0.spare + 1 < $0.id",
        "$0.tags.contains(\"x\")", "$0.id.in(1...5)",
    ]

    /// Invalid terms, each with a part of the expected compiler message.
    private static let wrongTerms = [
        ("$0.place.citty == \"x\"", "no field with this name"),
        ("$0.place.citty.hasPrefix(\"x\")", "no field with this name"), ("$0.room == 3", "a value of its type"),
        ("$0.celsius > \"x\"", "a value of its type"), ("$0.id > 2.5", "a value of its type"),
        ("$0.celsius == $0.room", "a value of its type"), ("$0.celsius < $0.room", "a value of its type"),
        ("$0.celsius == nil", "nil only for an optional"), ("$0.celsius > limit", "Double(limit)"),
        ("$0.celsius > $0.id", "numbers of two types by a calculation"),
        ("$0.places.any { $0.floor > \"x\" }", "a value of its type"), ("30 < $0.celsius", "write the field first"),
        ("!$0.isOpen", "$0.isOpen == false"), ("$0.tags.contains(3)", "an element of its type"),
        ("$0.room.hasPrefix(3)", "a text in a text"), ("$0.id + $0.room > 3", "calculate with numbers"),
        ("$0.room * $0.id > 3", "calculate with numbers"), ("$0.isOpen * 2 > 3", "calculate with numbers"),
        ("$0.spare * 2 < \"x\"", "compare a calculation with a number"), ("-$0.id > 5", "0 - $0.balance"),
        ("$0.id + 1 > $0.room", "compare a calculation with a number"),
        ("Double($0.id) * 1.5 > $0.celsius", "leave out the conversion"), ("$0.kind == \"eco\"", ".north for an enum"),
        ("$0.mode != \"eco\"", ".north for an enum"), ("$0.kind < .boost", "IndexableValue and Comparable"),
        ("$0.mode >= .boost", "IndexableValue and Comparable"), ("$0.celsius * 2", "a calculation is not a condition"),
        ("$0.spare + $0.id * 2", "a calculation is not a condition"), ("$0.id & 1 == 0", "no bit operators"),
        ("$0.room.lowercased() == \"x\"", ".caseInsensitive"), ("$0.room.starts(with: \"x\")", "hasPrefix"),
        ("!$0.room.localizedStandardContains(\"x\")", "contains"), ("$0.note.range(of: \"x\") != nil", "contains"),
        ("$0.id.isMultiple(of: 2)", "no field with this name"), ("$0.id.advanced() == 3", "no field with this name"),
        ("$0.place.city.foo($0.id, bar: 3) > 4", "no field with this name"),
        ("[1, 2].contains($0.id)", "$0.id.in([1, 2])"),
        ("$0.misspelt * 2 < 3", misspelt), ("$0.spare * 2 < $0.misspelt", misspelt),
        ("$0.id * $0.misspelt > 3", misspelt), ("$0.misspelt == \"x\"", misspelt), ("$0.misspelt > 2.5", misspelt),
        ("$0.misspelt != nil", misspelt), ("$0.misspelt.hasPrefix(\"x\")", misspelt),
        ("$0.place.citty * 2 > 3", "no field with this name"),
    ]

    private static let misspelt = """
        there is no field with this name: Heater has id, room, celsius, target, note, mode, tags, place, places, spare, isOpen, kind
        """

    @Test func `a name that is no field is the one error of its term`() throws {
        for condition in [
            "$0.misspelt * 2 < 3", "$0.misspelt == \"x\"", "$0.id * $0.misspelt > 3", "$0.misspelt.isEmpty",
        ] {
            let errors = try errors(condition + " && $0.id > 2", scopes: 2_000)
            #expect(errors.count == 1 && errors[0].hasSuffix(Self.misspelt), "\(condition): \(errors)")
        }
    }

    @Test(arguments: ["Heater", "FetchRequest(Heater.self)", "Heater.where { $0.id > 2 }"])
    func `a field alone as a condition is answered by what to write`(subject: String) throws {
        for field in ["isOpen", "room", "mode", "place.floor"] {
            let source = Self.types + "let request = \(subject).where { $0.\(field) }"
            let message = """
                'where' is unavailable: a field is not a condition by itself: compare it, as in $0.isOpen == true
                """
            #expect(try Compiler.errors(in: source, solverScopes: 2_000) == [message])
        }
    }

    @Test(arguments: [0, 4, 9])
    func `a flag that is not compared is reported at its place`(position: Int) throws {
        var terms = Self.tenTerms
        terms[position] = "$0.isOpen"
        let line = "let request = Heater.where { \(terms.joined(separator: " && ")) }"
        let faults = try Compiler.faults(in: Self.types + line, solverScopes: 300_000)
        let column = "let request = Heater.where { ".count + terms[..<position].joined(separator: " && ").count
        #expect(faults.count == 1 && faults[0].message.contains("argument type 'Condition<Heater>'"), "\(faults)")
        #expect(faults.allSatisfy { column...column + " && $0.isOpen".count ~= $0.column }, "\(faults)")
    }

    @Test(arguments: [0, 4, 9])
    func `a wrong term among ten with two calculations is reported at its place in few steps`(position: Int) throws {
        var source = Self.types + "let limit = 3\n"
        let head = source.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        var places: [Range<Int>] = []
        for (number, (wrong, _)) in Self.wrongTerms.enumerated() {
            var terms = Self.tenTerms
            terms[position] = wrong
            let beginning = "let request\(number) = Heater.where { "
            let start = (beginning + terms[..<position].map { $0 + " && " }.joined()).count
            places.append(start..<start + wrong.count)
            source += beginning + terms.joined(separator: " && ") + " }\n"
        }
        let faults = try Compiler.faults(in: source, solverScopes: 5_000)
        for (number, (wrong, answer)) in Self.wrongTerms.enumerated() {
            let own = faults.filter { $0.line == head + number }
            #expect(own.contains { $0.message.contains(answer) }, "\(wrong): \(own)")
            #expect(!own.isEmpty && own.allSatisfy { places[number].contains($0.column) }, "\(wrong): \(own)")
        }
        #expect(faults.allSatisfy { $0.line >= head }, "\(faults.filter { $0.line < head })")
    }
}
