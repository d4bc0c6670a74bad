import Testing

@Suite struct InitialValueDiagnosticsTests {
    @Test(arguments: [
        ("UUID", "UUID()", ".newID", ".newID"), ("UUID", ".init()", ".newID", ".newID"),
        ("Date", "Date()", ".transactionTime", ".now"), ("Date", "Date.now", ".transactionTime", ".now"),
        ("Date", ".init()", ".transactionTime", ".now"),
    ]) func `fresh values come from the transaction`(type: String, value: String, spelling: String, fixed: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var fresh: \(type) = ▸\(value)
                }
                """,
            [
                .error(
                    "'\(value)' is evaluated again wherever 'fresh' is created or read; use "
                        + "'\(spelling)', which the transaction fills in",
                    fixIt: "replace '\(value)' with '\(fixed)'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var fresh: \(type) = \(fixed)
                }
                """
        )
    }

    @Test func `the present of another clock is pointed out`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var made: Stamp = ▸.now
                }
                """,
            [
                .warning(
                    "the transaction fills in '.now' only for 'Date'; "
                        + "'made' gets the time at which the value is created"
                )
            ]
        )
    }

    @Test func `an own initializer asks for the transaction's time by name`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var made: Date = ▸.now
                    init(id: Int) { self.id = id }
                }
                """,
            [
                .warning(
                    "the struct's own initializer sets '.now' in 'made' to the time at which the value is created",
                    fixIt: "replace '.now' with '.transactionTime'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var made: Date = .transactionTime
                    init(id: Int) { self.id = id }
                }
                """
        )
    }

    @Test func `a generated initializer needs the types of transient properties`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var made: Date = .now
                    @Transient var ▸hits = Int(0)
                }
                """,
            [
                .error(
                    "'hits' needs an explicit type: the macro sees the source, not the inferred type",
                    fixIt: "add ': Int'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var made: Date = .now
                    @Transient var hits: Int = Int(0)
                }
                """
        )
    }

    @Test func `embedded values have nothing filled in`() {
        expectDiagnostics(
            in: """
                @Embedded
                struct Place {
                    var key: UUID = ▸.newID
                    var since: Date = ▸.now
                }
                """,
            [
                .error("'key': the transaction fills in fields of a record, not of an embedded value"),
                .error("'since': the transaction fills in fields of a record, not of an embedded value"),
            ]
        )
    }
}
