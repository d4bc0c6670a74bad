import Testing

@Suite struct ComponentExpansionTests {
    @Test func `a component shows the host its wrapped and its stored properties, in their order`() {
        expectExpansion(
            of: """
                @Component
                public struct Row {
                    let id: String
                    @State private var taps = 0
                    @MainActor static var shared = 1
                    @available(*, deprecated) var old = 1
                    @ObservedObject var sensor: Sensor
                    var plain: Int { 1 }
                }
                """,
            """
            public struct Row {
                let id: String
                @State private var taps = 0
                @MainActor static var shared = 1
                @available(*, deprecated) var old = 1
                @ObservedObject var sensor: Sensor
                var plain: Int { 1 }
            }

            nonisolated extension Row: ModelStoreComponents.Component {
                public mutating func _visit(_ slots: inout ModelStoreComponents.DynamicPropertyVisitor) {
                    slots.visit(&_taps)
                    slots.visit(&_sensor)
                }
                @available(*, deprecated) public static func _addFields(to fields: inout ModelStoreComponents.ComponentFields<Self>) {
                    fields.add(\\.id)
                    fields.add(\\._taps)
                    fields.add(\\.old)
                    fields.add(\\._sensor)
                }
            }
            """)
    }

    @Test func `wrapped properties under a condition, or with observers, are shown too`() {
        expectExpansion(
            of: """
                @Component
                struct Row {
                    @State var taps = 0 {
                        didSet { print(taps) }
                    }
                    #if DEBUG
                    @State var trace = ""
                    #elseif os(Linux)
                    let plain = 1
                    #else
                    #if FAST
                    @State var speed = 1
                    #endif
                    #endif
                    #if NOTHING
                    var other: Int { 1 }
                    #endif
                }
                """,
            """
            struct Row {
                @State var taps = 0 {
                    didSet { print(taps) }
                }
                #if DEBUG
                @State var trace = ""
                #elseif os(Linux)
                let plain = 1
                #else
                #if FAST
                @State var speed = 1
                #endif
                #endif
                #if NOTHING
                var other: Int { 1 }
                #endif
            }

            nonisolated extension Row: ModelStoreComponents.Component {
                mutating func _visit(_ slots: inout ModelStoreComponents.DynamicPropertyVisitor) {
                    slots.visit(&_taps)
                    #if DEBUG
                    slots.visit(&_trace)
                    #elseif os(Linux)
                    #else
                    #if FAST
                    slots.visit(&_speed)
                    #endif
                    #endif
                }
                static func _addFields(to fields: inout ModelStoreComponents.ComponentFields<Self>) {
                    fields.add(\\._taps)
                    #if DEBUG
                    fields.add(\\._trace)
                    #elseif os(Linux)
                    fields.add(\\.plain)
                    #else
                    #if FAST
                    fields.add(\\._speed)
                    #endif
                    #endif
                }
            }
            """)
    }

    @Test func `stored properties are those that a value of the component holds`() {
        expectExpansion(
            of: """
                @Component
                struct Row {
                    let a, b: Int
                    private let (first, `second`) = (1, 2)
                    var observed = 1 {
                        didSet { print(observed) }
                    }
                    weak var object: Row?
                    lazy var cached = 1
                    static var shared = 1
                    @MainActor var main = 1
                    var computed: Int { 1 }
                }
                """,
            """
            struct Row {
                let a, b: Int
                private let (first, `second`) = (1, 2)
                var observed = 1 {
                    didSet { print(observed) }
                }
                weak var object: Row?
                lazy var cached = 1
                static var shared = 1
                @MainActor var main = 1
                var computed: Int { 1 }
            }

            nonisolated extension Row: ModelStoreComponents.Component {
                mutating func _visit(_ slots: inout ModelStoreComponents.DynamicPropertyVisitor) {
                }
                static func _addFields(to fields: inout ModelStoreComponents.ComponentFields<Self>) {
                    fields.add(\\.a)
                    fields.add(\\.b)
                    fields.add(\\.first)
                    fields.add(\\.`second`)
                    fields.add(\\.observed)
                    fields.add(\\.object)
                }
            }
            """)
    }

    @Test func `a component without properties shows none`() {
        expectExpansion(
            of: "@Component struct Empty {}",
            """
            struct Empty {}

            nonisolated extension Empty: ModelStoreComponents.Component {
                mutating func _visit(_ slots: inout ModelStoreComponents.DynamicPropertyVisitor) {
                }
                static func _addFields(to fields: inout ModelStoreComponents.ComponentFields<Self>) {
                }
            }
            """)
    }

    @Test func `only a struct is a component`() {
        expectDiagnostics(
            in: "▸@Component class Row {}",
            [
                .error("'@Component' needs a struct: a component is a value that each update creates again")
            ])
    }
}
