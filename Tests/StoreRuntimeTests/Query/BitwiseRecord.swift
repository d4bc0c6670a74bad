import StoreEngine

/// A record that equals another only if all values are identical bit by bit: zeros of different signs differ, and a NaN equals
/// itself.
struct BitwiseRecord: Hashable {
    let record: DynamicRecord

    init(_ record: DynamicRecord) { self.record = record }

    static func == (left: BitwiseRecord, right: BitwiseRecord) -> Bool {
        areSame(left.record.values, right.record.values)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(record.values.first) }

    private static func areSame(_ left: [DynamicValue], _ right: [DynamicValue]) -> Bool {
        guard left.count == right.count else { return false }
        for place in left.indices where !isSame(left[place], right[place]) { return false }
        return true
    }

    private static func isSame(_ left: DynamicValue, _ right: DynamicValue) -> Bool {
        switch (left, right) {
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
        case (.list(let left), .list(let right)), (.fields(let left), .fields(let right)): areSame(left, right)
        case (.pairs(let left), .pairs(let right)):
            areSame(left.map(\.key), right.map(\.key)) && areSame(left.map(\.value), right.map(\.value))
        default: left == right
        }
    }
}
