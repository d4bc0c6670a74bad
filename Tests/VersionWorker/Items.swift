import ModelStore

/// The functions of one program version on items.
protocol Item: Record where ID == Int {
    static func make(_ id: Int, count: Int) -> Self
    var countNumber: Int { get }
    var text: String { get set }
    /// The texts of the marks by key, with their weights if the version knows these.
    var markTexts: [String: (text: String, weight: Int?)] { get }
    mutating func setCount(_ count: Int)
    mutating func setMark(_ key: String, _ text: String?)
}

/// The first version of the program.
enum Version1 {
    @Embedded
    struct Mark { var text: String }

    @Record("Item")
    struct Item: VersionWorker.Item {
        @ID var id: Int
        @Indexed var name: String
        var count: Int16
        var marks: [String: Version1.Mark] = [:]

        static func make(_ id: Int, count: Int) -> Self { Self(id: id, name: "item \(id)", count: Int16(count)) }
        var countNumber: Int { Int(count) }
        var text: String {
            get { name }
            set { name = newValue }
        }
        var markTexts: [String: (text: String, weight: Int?)] { marks.mapValues { ($0.text, nil) } }
        mutating func setCount(_ count: Int) { self.count = Int16(count) }
        mutating func setMark(_ key: String, _ text: String?) {
            if let text { marks[key, default: Mark(text: "")].text = text } else { marks[key] = nil }
        }
    }
}

/// The second version: it knows more, and the first can continue next to it.
enum Version2 {
    @Embedded
    struct Mark {
        var text: String
        var weight: Int = 1
    }

    @Record("Item")
    struct Item: VersionWorker.Item {
        @ID var id: Int
        @Renamed(from: "name") @Indexed var label: String
        @Indexed var level: Int = 7
        var note: String?
        var count: Int16
        var marks: [String: Version2.Mark] = [:]
        @Reference(onDelete: .nullify) var parent: Reference<Version2.Item>?

        static func make(_ id: Int, count: Int) -> Self { Self(id: id, label: "item \(id)", count: Int16(count)) }
        var countNumber: Int { Int(count) }
        var text: String {
            get { label }
            set { label = newValue }
        }
        var markTexts: [String: (text: String, weight: Int?)] { marks.mapValues { ($0.text, $0.weight) } }
        mutating func setCount(_ count: Int) { self.count = Int16(count) }
        mutating func setMark(_ key: String, _ text: String?) {
            if let text { marks[key, default: Mark(text: "")].text = text } else { marks[key] = nil }
        }
    }
}

/// The third version: a wider count, which the others cannot hold.
enum Version3 {
    @Record("Item")
    @Index("title", "count")
    struct Item: VersionWorker.Item {
        @ID var id: Int
        @Renamed(from: "label", "name") @Indexed var title: String
        @Indexed var level: Int = 7
        var note: String?
        @Indexed var count: Int
        var marks: [String: Version2.Mark] = [:]
        @Reference(onDelete: .nullify) var parent: Reference<Version3.Item>?

        static func make(_ id: Int, count: Int) -> Self { Self(id: id, title: "item \(id)", count: count) }
        var countNumber: Int { count }
        var text: String {
            get { title }
            set { title = newValue }
        }
        var markTexts: [String: (text: String, weight: Int?)] { marks.mapValues { ($0.text, $0.weight) } }
        mutating func setCount(_ count: Int) { self.count = count }
        mutating func setMark(_ key: String, _ text: String?) {
            if let text { marks[key, default: Version2.Mark(text: "")].text = text } else { marks[key] = nil }
        }
    }
}
