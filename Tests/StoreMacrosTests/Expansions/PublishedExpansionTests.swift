import Testing

@Suite struct PublishedExpansionTests {
    @Test func `a published property lies in a subject beside it`() {
        expectExpansion(
            of: #"""
                final class Session {
                    @Published public var user: String = "nobody"
                    @Published private(set) var note: String?
                    @Published var count: Int
                }
                """#,
            #"""
            final class Session {
                public var user: String {
                get { _user._value { $0 == \Session.user } }
                set { _user._send(newValue, of: self) }
                }

                private let _user = ModelStoreComponents.Subject<String>(_published: "nobody")

                public var $user: ModelStoreComponents.SubjectValues<String> {
                    _user.values
                }
                private(set) var note: String? {
                get { _note._value { $0 == \Session.note } }
                set { _note._send(newValue, of: self) }
                }

                private let _note = ModelStoreComponents.Subject<String?>(_published: nil)

                var $note: ModelStoreComponents.SubjectValues<String?> {
                    _note.values
                }
                var count: Int {
                @storageRestrictions(initializes: _count)
                init(initialValue) { _count = ModelStoreComponents.Subject(_published: initialValue) }
                get { _count._value { $0 == \Session.count } }
                set { _count._send(newValue, of: self) }
                }

                private let _count: ModelStoreComponents.Subject<Int>

                var $count: ModelStoreComponents.SubjectValues<Int> {
                    _count.values
                }
            }
            """#)
    }

    @Test func `a type that the initial value names is the property's type`() {
        let types = [
            "3": "Int", "Session()": "Session", "Session.init()": "Session", "Session.State()": "Session.State",
            "Session.State.open": "Session.State", "Set<Int>()": "Set<Int>", "[Int]()": "[Int]",
            "[String: Int]()": "[String: Int]", "make() as Session": "Session",
        ]
        for (value, type) in types {
            expectExpansion(
                of: """
                    final class Owner {
                        @Published var part = \(value)
                    }
                    """,
                #"""
                final class Owner {
                    var part {
                    get { _part._value { $0 == \Owner.part } }
                    set { _part._send(newValue, of: self) }
                    }

                    private let _part = ModelStoreComponents.Subject<\#(type)>(_published: \#(value))

                    var $part: ModelStoreComponents.SubjectValues<\#(type)> {
                        _part.values
                    }
                }
                """#)
        }
    }

    @Test func `what cannot be published says why`() {
        let wrongPlace = "'@Published' needs a stored var of a class, and one var in each declaration"
        expectDiagnostics(
            in: """
                struct Value {
                    ▸@Published var a = 1
                }
                final class Session {
                    ▸@Published let b = 1
                    ▸@Published var c: Int { 1 }
                    ▸@Published var d = makeD()
                    ▸@Published var e: () -> Void = {}
                    ▸@Published var h: ((Int) -> Void)?
                    ▸@Published weak var f: Session?
                    ▸@Published unowned var g: Session
                }
                """,
            [
                .error(wrongPlace), .error(wrongPlace), .error(wrongPlace),
                .error("write the type of 'd': '$d' needs it, and the macro cannot infer it from the value"),
                .error(
                    "the closure 'e' must be '@Sendable': any thread can read and set a published property",
                    fixIt: "add '@Sendable'"),
                .error(
                    "the closure 'h' must be '@Sendable': any thread can read and set a published property",
                    fixIt: "add '@Sendable'"),
                .error(
                    "'@Published' stores its value, so it cannot be 'weak': remove the modifier, or publish a struct with a "
                        + "weak property"),
                .error(
                    "'@Published' stores its value, so it cannot be 'unowned': remove the modifier, or publish a struct with a "
                        + "unowned property"),
            ])
    }
}
