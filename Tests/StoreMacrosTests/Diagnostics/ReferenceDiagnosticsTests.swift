import Testing

@Suite struct ReferenceDiagnosticsTests {
    @Test func `references are properties of their type, alone or in collections`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID @Reference var id: Reference<Slot>
                    @Reference(onDelete: .cascade) var room: ModelStore.Reference<Room>
                    @Unique @Reference(onDelete: .nullify) var owner: Reference<Person>?
                    @Reference(onDelete: .nullify) var tags: [Reference<Tag>]
                    @Reference(onDelete: DeleteRule.none) var others: Set<Reference<Tag>>?
                }
                """, [])
    }

    @Test(arguments: [
        ("Room", "Reference<Room>"), ("Room?", "Reference<Room>?"), ("[Room]", "[Reference<Room>]"),
        ("Set<House.Room>", "Set<Reference<House.Room>>"),
    ])
    func `what refers to records says so by its type`(type: String, reference: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Reference var room: ▸\(type)
                }
                """,
            [
                .error(
                    "'room' does not refer to a record: '\(type)' is not a 'Reference' or a collection of references",
                    fixIt: "replace '\(type)' with '\(reference)'")
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Reference var room: \(reference)
                }
                """
        )
    }

    @Test(arguments: ["String", "Int?", "[String: Reference<Room>]"])
    func `what a plain value refers to cannot be guessed`(type: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Reference var room: ▸\(type)
                }
                """,
            [.error("'room' does not refer to a record: '\(type)' is not a 'Reference' or a collection of references")]
        )
    }

    @Test func `what is always there cannot be nullified`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Reference(onDelete: ▸.nullify) var room: Reference<Room>
                }
                """,
            [
                .error(
                    "'room' always refers to a record, so it cannot be nullified when that record is deleted",
                    fixIt: "add '?'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Reference(onDelete: .nullify) var room: Reference<Room>?
                }
                """
        )
    }

    @Test func `an id cannot be nullified`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID @Reference(onDelete: ▸.nullify) var slot: Reference<Slot>
                }
                """,
            [
                .error(
                    "'slot' is (part of) the id, which cannot be nullified", fixIt: "replace '.nullify' with '.deny'")
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID @Reference(onDelete: .deny) var slot: Reference<Slot>
                }
                """
        )
    }

    @Test func `a rule is written by its name`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Reference(onDelete: ▸standard) var room: Reference<Room>
                }
                """,
            [.error("a delete rule must be '.deny', '.nullify', '.cascade' or '.none'")]
        )
    }

    @Test func `embedded values refer to nothing`() {
        expectDiagnostics(
            in: """
                @Embedded
                struct Place {
                    ▸@Reference var room: ▸Reference<Room>?
                    var floor: Int
                }
                """,
            [
                .error(
                    "'@Reference' is for fields of a record; embedded values have no keys and no indexes",
                    fixIt: "remove '@Reference'"),
                .error(
                    "only a field of a record can refer to a record; store the id in 'room', or move the "
                        + "reference"),
            ],
            fixed: """
                @Embedded
                struct Place {
                    var room: Reference<Room>?
                    var floor: Int
                }
                """
        )
    }
}
