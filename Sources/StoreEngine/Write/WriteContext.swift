package import Foundation

/// The origin and the inputs of a write closure: everything that it depends on besides the store.
///
/// Time, identifiers and random numbers come from here. A closure that reruns therefore gets the same values, and a recorded
/// write can be replayed.
package struct WriteContext: Sendable {
    /// The time of the transaction.
    package var time: Date
    /// The initial state of the random stream.
    package var seed: UInt64
    /// The process that writes.
    package var origin: Origin
    /// Identifies the transaction of this closure.
    package var token: UInt64

    package init(time: Date, seed: UInt64, origin: Origin, token: UInt64) {
        self.time = time
        self.seed = seed
        self.origin = origin
        self.token = token
    }
}

/// The process that made a change set.
public struct Origin: Hashable, Sendable {
    /// A name that the program chooses. If one of its consumers wrote, `#` and the consumer's name follow.
    public package(set) var name: String
    /// The process id.
    public package(set) var processID: Int32
    /// Why the process wrote. Two origins are equal whatever the reason.
    package private(set) var kind: ChangeSetKind

    /// - Parameter name: the name as the feed stores it, which may end with a kind.
    package init(name: String, processID: Int32) {
        self.processID = processID
        self.name = name
        kind = .user
        guard let mark = name.lastIndex(of: ChangeSetKind.mark),
            let kind = ChangeSetKind(stored: name[name.index(after: mark)...])
        else { return }
        self.name = String(name[..<mark])
        self.kind = kind
    }

    /// The name with the kind, as the feed stores it.
    package var storedName: String { kind.stored.map { "\(name)\(ChangeSetKind.mark)\($0)" } ?? name }

    /// Returns this origin of a change set of another kind.
    package func writing(_ kind: ChangeSetKind) -> Origin {
        var origin = self
        origin.kind = kind
        return origin
    }

    public static func == (left: Origin, right: Origin) -> Bool {
        left.name == right.name && left.processID == right.processID
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(processID)
    }

    /// Separates a program's name from the name of its consumer; neither name contains it.
    package static let consumerMark: Character = "#"

    /// The name of the consumer that wrote; nil if no consumer did.
    public var consumerName: String? {
        name.lastIndex(of: Origin.consumerMark).map { String(name[name.index(after: $0)...]) }
    }

    /// Returns the origin of a consumer of this program.
    func asConsumer(_ consumer: String) -> Origin {
        let program = name.prefix { $0 != Origin.consumerMark }
        return Origin(name: "\(program)\(Origin.consumerMark)\(consumer)", processID: processID)
    }
}

/// A reproducible stream of random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
public struct TransactionRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
