import Testing

@Suite struct IndexDiagnosticsTests {
    @Test func `an index belongs on a record`() {
        expectDiagnostics(
            in: """
                ▸@Index("room", "celsius")
                struct Sensor {
                    var room: String
                    var celsius: Double
                }
                """,
            [
                .error(
                    "'@Index' is valid only on a struct marked '@Record'",
                    fixIt: "remove '@Index(\"room\", \"celsius\")'"
                )
            ],
            fixed: """
                struct Sensor {
                    var room: String
                    var celsius: Double
                }
                """
        )
    }

    @Test func `a misspelt property is offered the nearest`() {
        expectDiagnostics(
            in: """
                @Record
                @Index("room", ▸"celcius")
                @Index("room", ▸"altitude")
                @Index("room", ▸"x")
                struct Sensor {
                    @ID var id: Int
                    var room: String
                    var celsius: Double
                }
                """,
            [
                .error("'Sensor' has no stored property 'celcius'", fixIt: "replace '\"celcius\"' with '\"celsius\"'"),
                .error("'Sensor' has no stored property 'altitude'"),
                .error("'Sensor' has no stored property 'x'"),
            ],
            fixed: """
                @Record
                @Index("room", "celsius")
                @Index("room", "altitude")
                @Index("room", "x")
                struct Sensor {
                    @ID var id: Int
                    var room: String
                    var celsius: Double
                }
                """
        )
    }

    @Test(arguments: [("Index", "Indexed"), ("UniqueIndex", "Unique")])
    func `an index of one property moves to it`(attribute: String, marker: String) {
        expectDiagnostics(
            in: """
                @Record
                ▸@\(attribute)("room")
                struct Sensor {
                    @ID var id: Int
                    var room: String
                }
                """,
            [
                .error(
                    "'@\(attribute)' is for several properties; for a single property, use '@\(marker)' on 'room'",
                    fixIt: "mark 'room' '@\(marker)' instead"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @\(marker) var room: String
                }
                """
        )
    }

    @Test func `an index names stored properties, each once, by literals`() {
        expectDiagnostics(
            in: """
                @Record
                @Index("room", ▸"room")
                @Index("room", ▸"cache")
                @Index("room", ▸name)
                @Index("room", ▸"tags")
                ▸@Index()
                struct Sensor {
                    @ID var id: Int
                    var room: String
                    var tags: [String]
                    @Transient var cache: Int = 0
                }
                """,
            [
                .error("'room' is in this index twice"),
                .error("'cache' is '@Transient', so it cannot be indexed"),
                .error("an index names its properties by string literals"),
                .error("'tags' cannot be '@Indexed': '[String]' has no order as a key"),
                .error("'@Index' names no property", fixIt: "remove '@Index()'"),
            ]
        )
    }

    @Test func `an index is declared once, and the unique one stays`() {
        expectDiagnostics(
            in: """
                @Record
                ▸@Index("room", "serial")
                @UniqueIndex("room", "serial")
                @Index("serial", "room")
                ▸@Index("serial", "room")
                struct Sensor {
                    @ID var id: Int
                    var room: String
                    var serial: String
                }
                """,
            [
                .warning(
                    "there is already an index of these properties in this order",
                    fixIt: "remove '@Index(\"room\", \"serial\")'"
                ),
                .warning(
                    "there is already an index of these properties in this order",
                    fixIt: "remove '@Index(\"serial\", \"room\")'"
                ),
            ],
            fixed: """
                @Record
                @UniqueIndex("room", "serial")
                @Index("serial", "room")
                struct Sensor {
                    @ID var id: Int
                    var room: String
                    var serial: String
                }
                """
        )
    }

    @Test func `a composite id is an index`() {
        expectDiagnostics(
            in: """
                @Record
                ▸@UniqueIndex("room", "hour")
                struct Slot {
                    @ID var room: String
                    @ID var hour: Int
                }
                """,
            [
                .warning(
                    "these properties in this order are the id, which is already unique and indexed",
                    fixIt: "remove '@UniqueIndex(\"room\", \"hour\")'"
                )
            ],
            fixed: """
                @Record
                struct Slot {
                    @ID var room: String
                    @ID var hour: Int
                }
                """
        )
    }
}
