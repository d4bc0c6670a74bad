import ModelStore

/// What one program version says and does about items.
protocol Item: Record where ID == Int {
    static func make(_ id: Int, count: Int) -> Self
    var countNumber: Int { get }
    mutating func setCount(_ count: Int)
}

/// The first version of the program.
enum Version1 {
    @Record("Item")
    struct Item: VersionWorker.Item {
        @ID var id: Int
        @Indexed var name: String
        var count: Int16

        static func make(_ id: Int, count: Int) -> Self { Self(id: id, name: "item \(id)", count: Int16(count)) }
        var countNumber: Int { Int(count) }
        mutating func setCount(_ count: Int) { self.count = Int16(count) }
    }
}

/// The second: it knows more, and the first can go on beside it.
enum Version2 {
    @Record("Item")
    struct Item: VersionWorker.Item {
        @ID var id: Int
        @Indexed var name: String
        @Indexed var level: Int = 7
        var note: String?
        var count: Int16

        static func make(_ id: Int, count: Int) -> Self { Self(id: id, name: "item \(id)", count: Int16(count)) }
        var countNumber: Int { Int(count) }
        mutating func setCount(_ count: Int) { self.count = Int16(count) }
    }
}

/// The third: a wider count, which the others cannot hold.
enum Version3 {
    @Record("Item")
    @Index("title", "count")
    struct Item: VersionWorker.Item {
        @ID var id: Int
        @Renamed(from: "name") @Indexed var title: String
        @Indexed var level: Int = 7
        var note: String?
        @Indexed var count: Int

        static func make(_ id: Int, count: Int) -> Self { Self(id: id, title: "item \(id)", count: count) }
        var countNumber: Int { count }
        mutating func setCount(_ count: Int) { self.count = count }
    }
}
