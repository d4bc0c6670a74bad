import ModelStore

/// A record that is looked up by two fields together: rows 9e.
@Record
@Index("place", "day")
struct Visit {
    @ID var id: Int
    var place: Int
    var day: Int
    var guest: String

    /// Returns the same visits in every run: 400 places, each with some visits on each of 100 days.
    static func make(_ count: Int) -> [Visit] {
        var random = SplitMix64(state: 99)
        return (0..<count).map { id in
            Visit(
                id: id, place: Int(random.next() % 400), day: Int(random.next() % 100),
                guest: "guest \(random.next() % 10_000)")
        }
    }
}

extension Checksum {
    mutating func add(_ visit: Visit) {
        add(visit.id &* 31 &+ visit.place &* 7 &+ visit.day &+ visit.guest.utf8.count)
    }
}
