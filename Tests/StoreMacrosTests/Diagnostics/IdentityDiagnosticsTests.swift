import Testing

@Suite struct IdentityDiagnosticsTests {
    @Test func `a property called id is offered as the id`() {
        expectDiagnostics(
            in: """
                @Record
                struct ▸Sensor {
                    var id: String
                }
                """,
            [.error("'Sensor' has no '@ID' property to identify its records", fixIt: "add '@ID'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: String
                }
                """
        )
    }

    @Test func `a record without anything like an id is offered one`() {
        expectDiagnostics(
            in: """
                @Record
                struct ▸Sensor {
                    var room: String
                }
                """,
            [
                .error(
                    "'Sensor' has no '@ID' property to identify its records", fixIt: "add '@ID var id: UUID = .newID'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: UUID = .newID
                    var room: String
                }
                """
        )
    }

    @Test(arguments: ["Int?", "Optional<Int>"]) func `an id is not optional`(type: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: ▸\(type)
                }
                """,
            [.error("'@ID' 'id' cannot be optional: every record has an id", fixIt: "replace '\(type)' with 'Int'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                }
                """
        )
    }

    @Test func `an id has an order`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    ▸@ID var id: [String]
                }
                """,
            [.error("'id' cannot be '@ID': '[String]' has no order as a key")]
        )
    }

    @Test func `assigned ids are integers`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID(.assigned) var id: ▸String
                }
                """,
            [.error("the store assigns integers: 'id' cannot be 'String'", fixIt: "replace 'String' with 'Int'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID(.assigned) var id: Int
                }
                """
        )
    }

    @Test func `assigned ids are single`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var room: String
                    ▸@ID(.assigned) var number: Int = 0
                }
                """,
            [.error("the store assigns single ids: 'number' is one of several '@ID' properties")]
        )
    }

    @Test(arguments: [
        ("", "replace 'let' with 'var' and add '= 0'"),
        (" = 0", "replace 'let' with 'var'"),
    ]) func `assigned ids are variables`(value: String, fixIt: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID(.assigned) let ▸id: Int\(value)
                }
                """,
            [.error("'id' is assigned by the store at insert, so it must be a 'var' that starts at 0", fixIt: fixIt)],
            fixed: """
                @Record
                struct Sensor {
                    @ID(.assigned) var id: Int = 0
                }
                """
        )
    }

    @Test func `assigned ids start at zero`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID(.assigned) var ▸id: Int
                }
                """,
            [.error("'id' is assigned by the store at insert, so it must start at 0", fixIt: "add '= 0'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID(.assigned) var id: Int = 0
                }
                """
        )
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID(.assigned) var id: Int = ▸1
                }
                """,
            [.error("'id' is assigned by the store at insert, so it must start at 0", fixIt: "replace '1' with '0'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID(.assigned) var id: Int = 0
                }
                """
        )
    }

    @Test func `an id takes assigned or nothing`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID(▸.random) var id: Int
                }
                """,
            [.error("'@ID' takes '.assigned' or no argument")]
        )
    }

    @Test(arguments: ["Indexed", "Unique"]) func `an id is unique and indexed already`(marker: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID ▸@\(marker) var id: Int
                }
                """,
            [.warning("'@ID' already makes 'id' unique and indexed", fixIt: "remove '@\(marker)'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                }
                """
        )
    }
}
