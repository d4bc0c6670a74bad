import Foundation
import ModelStore

/// The versions of one record type. All have the same name in the store.
enum Version1 {
    @Record("Sensor")
    struct Sensor {
        @ID var id: Int
        @Indexed var room: String
        var celsius: Float
        var count: Int16
        var note: String?
        var serial: String
    }
}

/// Version 1 with additional fields that older programs do not need.
enum Version2 {
    @Embedded
    struct Place {
        var floor: Int = 0
        var wing: String?
    }

    @Record("Sensor")
    struct Sensor {
        @ID var id: Int
        @Indexed var room: String
        var celsius: Float
        var count: Int16
        @Indexed var level: Int = 7
        var place: Version2.Place?
        var note: String?
        var seen: Date = .transactionTime
        var serial: String
    }
}

/// Version 2 with one field renamed, two widened, one made optional, one more index, and a larger embedded struct.
enum Version3 {
    @Embedded
    struct Place {
        var wing: String?
        var floor: Int = 0
        var name: String = "main"
    }

    @Record("Sensor")
    @Index("chamber", "count")
    struct Sensor {
        @ID var id: Int
        @Renamed(from: "room") @Indexed var chamber: String
        var celsius: Double
        @Indexed var count: Int
        @Indexed var level: Int = 7
        var place: Version3.Place?
        var note: String?
        var seen: Date = .transactionTime
        var serial: String?
    }
}

extension Version1.Sensor {
    static func sample(_ number: Int) -> Self {
        Self(
            id: number, room: "room \(number % 7)", celsius: Float(number) / 4, count: Int16(number % 1_000),
            note: number % 3 == 0 ? nil : "note \(number)", serial: "A-\(number)")
    }
}

extension Version2.Sensor {
    /// Creates the expected result of migrating a record of version 1.
    init(_ old: Version1.Sensor, seen: Date) {
        self.init(
            id: old.id, room: old.room, celsius: old.celsius, count: old.count, level: 7, place: nil, note: old.note,
            seen: seen, serial: old.serial)
    }
}

extension Version3.Sensor {
    /// Creates the expected result of migrating a record of version 2.
    init(_ old: Version2.Sensor) {
        self.init(
            id: old.id, chamber: old.room, celsius: Double(old.celsius), count: Int(old.count), level: old.level,
            place: old.place.map { Version3.Place(wing: $0.wing, floor: $0.floor, name: "main") }, note: old.note,
            seen: old.seen, serial: old.serial)
    }
}

/// Versions that declare more or less than version 1.
enum Other {
    @Record("Sensor")
    struct WithoutSerial {
        @ID var id: Int
        @Indexed var room: String
        var celsius: Float
        var count: Int16
        var note: String?
    }

    @Record("Sensor")
    struct WithSomeSerials {
        @ID var id: Int
        @Indexed var room: String
        var celsius: Float
        var count: Int16
        var note: String?
        var serial: String?
    }

    @Record("Sensor")
    struct Unlike {
        @ID var id: Int
        @Indexed var room: String
        var celsius: Float
        var count: Int8
        var note: Int?
        var serial: String
        var owner: String
    }

    @Record("Sensor")
    struct WithSmallChambers {
        @ID var id: Int
        @Renamed(from: "room") @Indexed var chamber: Int8
        var celsius: Float
        var count: Int16
        var note: String?
        var serial: String
    }

    @Record("Sensor")
    struct WithUniqueRooms {
        @ID var id: Int
        @Unique var room: String
        var celsius: Float
        var count: Int16
        var note: String?
        var serial: String
    }

    @Record("Sensor")
    struct WithSerialsForIDs {
        var id: Int
        @Indexed var room: String
        var celsius: Float
        var count: Int16
        var note: String?
        @ID var serial: String
    }
}
