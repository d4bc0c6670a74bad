/// Which objects are kept alive, by which holders, from which line and since when: a state machine without a lock or a clock.
///
/// Methods return the objects to release, so that no `deinit` runs while the state is locked.
struct PinState {
    /// The holder of a pin, for reports.
    enum Holder {
        /// A task or other code, possibly in a scope.
        case program(inScope: UInt64?)
        /// A scope, by its number.
        case scope(UInt64)
        /// An object, which lives while it is pinned itself or the program refers to it. After that, another object may have its
        /// address.
        case object(WeakObject)
    }

    /// A pin, which keeps one object alive.
    struct Pin {
        fileprivate(set) var kind: PinKind
        fileprivate(set) var line: UInt32
        fileprivate(set) var holder: Holder
        /// Nanoseconds on the registry's clock.
        fileprivate(set) var since: Int64
        fileprivate var subject: UInt32
        fileprivate var generation: UInt32
        fileprivate var previous: UInt32
        fileprivate var next: UInt32
    }

    private struct Subject {
        /// Nil while the slot is free.
        var object: KeptObject?
        var firstPin: UInt32
        var pinCount: UInt32
        /// How many of the pins belong to scopes.
        var scopePinCount: UInt32
        /// Whether the object should be gone once no scope pins it: a scope has owned it, or it is a model. An object that scopes
        /// only borrow belongs to the program, which may keep it longer.
        var endsWithScopes: Bool
        /// The number of the current rest; 0 if the object does not rest.
        var rest: UInt64
    }

    /// An object without pins, which is kept for a while in case a caller asks for it again.
    private struct Resting {
        let subject: UInt32
        let rest: UInt64
        let until: Int64
    }

    /// The result of ending a pin.
    struct Unpinned {
        /// The object to release outside of the lock.
        var object: KeptObject?
        /// Whether no scope pins the object any more, so that it should be gone.
        var shouldBeGone = false
        /// Whether the object rests from now on.
        var rests = false
    }

    /// How long models rest, in nanoseconds, and how many may rest at once.
    let restNanoseconds: Int64
    let restLimit: Int

    private static let none = UInt32.max

    private var pins: [Pin] = []
    private var freePin = none
    private var subjects: [Subject] = []
    private var freeSubjects: [UInt32] = []
    private var subjectIndexes: [ObjectIdentifier: UInt32] = [:]
    private var resting: [Resting] = []
    private var firstResting = 0
    private var lastRest: UInt64 = 0

    private(set) var pinCount = 0
    private(set) var restingCount = 0

    init(restNanoseconds: Int64, restLimit: Int) {
        self.restNanoseconds = restNanoseconds
        self.restLimit = restLimit
    }

    /// The number of rest entries, including ended ones: at most 16 plus twice the number of resting objects.
    var restEntryCount: Int { resting.count }

    /// The number of objects that are pinned or rest.
    var objectCount: Int { subjectIndexes.count }

    // MARK: Pins

    /// Pins an object.
    ///
    /// - Complexity: constant.
    mutating func pin(
        _ object: KeptObject, _ kind: PinKind, by holder: Holder, line: UInt32, at now: Int64
    ) -> PinID {
        let subject = subjectIndex(of: object)
        let slot = takePin()
        let next = subjects[Int(subject)].firstPin
        pins[Int(slot)].kind = kind
        pins[Int(slot)].line = line
        pins[Int(slot)].holder = holder
        pins[Int(slot)].since = now
        pins[Int(slot)].subject = subject
        pins[Int(slot)].previous = Self.none
        pins[Int(slot)].next = next
        if next != Self.none { pins[Int(next)].previous = slot }
        subjects[Int(subject)].firstPin = slot
        subjects[Int(subject)].pinCount += 1
        if case .scope = holder {
            subjects[Int(subject)].scopePinCount += 1
            if kind == .owner { subjects[Int(subject)].endsWithScopes = true }
        }
        endRest(subject)
        pinCount += 1
        return PinID(slot: slot, generation: pins[Int(slot)].generation)
    }

    /// Ends a pin; does nothing if the pin has ended before.
    ///
    /// - Complexity: constant.
    mutating func unpin(_ id: PinID, at now: Int64) -> Unpinned {
        let slot = Int(id.slot)
        guard slot < pins.count, pins[slot].generation == id.generation else { return Unpinned() }
        let pin = pins[slot]
        let subject = Int(pin.subject)
        if pin.previous != Self.none {
            pins[Int(pin.previous)].next = pin.next
        } else {
            subjects[subject].firstPin = pin.next
        }
        if pin.next != Self.none { pins[Int(pin.next)].previous = pin.previous }
        givePin(id.slot)
        pinCount -= 1
        subjects[subject].pinCount -= 1
        var result = Unpinned()
        if case .scope = pin.holder {
            subjects[subject].scopePinCount -= 1
            result.shouldBeGone = subjects[subject].scopePinCount == 0 && subjects[subject].endsWithScopes
        }
        guard subjects[subject].pinCount == 0 else { return result }
        let object = subjects[subject].object
        if restLimit > 0, restNanoseconds > 0, object?.object is any RestingObject {
            result.rests = true
            rest(pin.subject, until: now.addingSaturated(restNanoseconds))
            // The object that has rested longest makes room.
            if restingCount > restLimit { result.object = endOldestRest() }
        } else {
            result.object = object
            free(pin.subject)
        }
        return result
    }

    /// Returns the object that a pin keeps and the line of the pin; nil if the pin has ended.
    func content(_ id: PinID) -> (object: KeptObject, line: UInt32)? {
        let slot = Int(id.slot)
        guard slot < pins.count, pins[slot].generation == id.generation,
            let object = subjects[Int(pins[slot].subject)].object
        else { return nil }
        return (object, pins[slot].line)
    }

    /// Whether a scope pins an object.
    func isInScope(_ object: KeptObject) -> Bool {
        subjectIndexes[object.id].map { subjects[Int($0)].scopePinCount > 0 } ?? false
    }

    /// Whether an object is pinned or rests.
    func keeps(_ object: KeptObject) -> Bool { subjectIndexes[object.id] != nil }

    /// Returns the pins of an object, the newest first.
    func pins(of object: KeptObject) -> [Pin] {
        var result: [Pin] = []
        _ = first(of: object) { pin -> Void? in
            result.append(pin)
            return nil
        }
        return result
    }

    /// Calls a closure with the pins of an object, the newest first, until it returns a value. Returns that value.
    func first<T>(of object: KeptObject, _ body: (Pin) -> T?) -> T? {
        guard let subject = subjectIndexes[object.id] else { return nil }
        var slot = subjects[Int(subject)].firstPin
        while slot != Self.none {
            if let found = body(pins[Int(slot)]) { return found }
            slot = pins[Int(slot)].next
        }
        return nil
    }

    /// All objects that are pinned or rest, in no stated order.
    var objects: [KeptObject] { subjects.compactMap(\.object) }

    // MARK: Rest

    /// When the first resting object has to go, in nanoseconds: the highest value for never, nil if no object rests.
    ///
    /// - Complexity: at most linear in the number of rest entries.
    var nextRestEnd: Int64? {
        resting[firstResting...].first { isCurrent($0) }?.until
    }

    /// Ends the rests whose time is over.
    ///
    /// - Returns: the objects to release.
    mutating func endRests(at now: Int64) -> [KeptObject] {
        var result: [KeptObject] = []
        while let end = nextRestEnd, end <= now, let object = endOldestRest() { result.append(object) }
        return result
    }

    /// Ends all rests.
    mutating func endAllRests() -> [KeptObject] { endRests(at: .max) }

    /// Whether an object rests.
    func isResting(_ object: KeptObject) -> Bool {
        guard let subject = subjectIndexes[object.id] else { return false }
        return subjects[Int(subject)].rest != 0
    }

    private func isCurrent(_ entry: Resting) -> Bool { subjects[Int(entry.subject)].rest == entry.rest }

    private mutating func rest(_ subject: UInt32, until end: Int64) {
        lastRest += 1
        subjects[Int(subject)].rest = lastRest
        resting.append(Resting(subject: subject, rest: lastRest, until: end))
        restingCount += 1
    }

    private mutating func endRest(_ subject: UInt32) {
        guard subjects[Int(subject)].rest != 0 else { return }
        subjects[Int(subject)].rest = 0
        restingCount -= 1
        trimResting()
    }

    private mutating func endOldestRest() -> KeptObject? {
        while firstResting < resting.count {
            let entry = resting[firstResting]
            firstResting += 1
            guard isCurrent(entry) else { continue }
            endRest(entry.subject)
            let object = subjects[Int(entry.subject)].object
            free(entry.subject)
            return object
        }
        return nil
    }

    /// Removes the entries of ended rests once they are the majority.
    private mutating func trimResting() {
        // Removes many at a time, so that each entry is moved once on average.
        guard resting.count > 16 + 2 * restingCount else { return }
        resting = resting[firstResting...].filter(isCurrent)
        firstResting = 0
    }

    // MARK: Slots

    private mutating func subjectIndex(of object: KeptObject) -> UInt32 {
        let key = object.id
        if let index = subjectIndexes[key] { return index }
        let subject = Subject(
            object: object, firstPin: Self.none, pinCount: 0, scopePinCount: 0,
            endsWithScopes: object.object is any RestingObject, rest: 0)
        let index: UInt32
        if let free = freeSubjects.popLast() {
            index = free
            subjects[Int(free)] = subject
        } else {
            index = UInt32(subjects.count)
            subjects.append(subject)
        }
        subjectIndexes[key] = index
        return index
    }

    private mutating func free(_ subject: UInt32) {
        guard let object = subjects[Int(subject)].object else { return }
        subjectIndexes[object.id] = nil
        subjects[Int(subject)].object = nil
        freeSubjects.append(subject)
    }

    private mutating func takePin() -> UInt32 {
        if freePin != Self.none {
            let slot = freePin
            freePin = pins[Int(slot)].next
            return slot
        }
        pins.append(
            Pin(
                kind: .owner, line: 0, holder: .program(inScope: nil), since: 0, subject: 0, generation: 1,
                previous: Self.none, next: Self.none))
        return UInt32(pins.count - 1)
    }

    private mutating func givePin(_ slot: UInt32) {
        // From now on, the old identifier is invalid.
        pins[Int(slot)].generation &+= 1
        pins[Int(slot)].holder = .program(inScope: nil)
        pins[Int(slot)].next = freePin
        freePin = slot
    }
}

/// A strong reference to an object.
///
/// The object's type need not be Sendable: this type only retains and releases the object, and asks for its name.
struct KeptObject: @unchecked Sendable {
    let object: AnyObject

    init(_ object: AnyObject) { self.object = object }

    var id: ObjectIdentifier { ObjectIdentifier(object) }
}

/// The slot of a pin, and the generation of that slot, which distinguishes the pin from earlier ones in the slot.
package struct PinID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// An object that may rest for a while after its last pin has ended, because a caller can ask for it again.
package protocol RestingObject: AnyObject {}
