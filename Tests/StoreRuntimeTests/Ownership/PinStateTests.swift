import Foundation
import TestSupport
import Testing

@testable import StoreRuntime

/// The registry's state machine, compared with a simple model.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct PinStateTests {
    private final class Plain {}
    private final class Restful: RestingObject {}

    /// The expected state of the state machine.
    private struct Model {
        struct Pin {
            let object: Int
            let isScope: Bool
        }

        var pins: [PinID: Pin] = [:]
        /// The objects that a scope has owned since their first pin.
        var owned: Set<Int> = []
        /// The time at which each resting object must be released, in the order in which the objects came to rest.
        var resting: [(object: Int, until: Int64)] = []

        func pinned(_ object: Int) -> [PinID] { pins.filter { $0.value.object == object }.map(\.key) }
    }

    @Test func `random pins, releases and rests agree with the model`() throws {
        for seed in TestLength.seeds(50, long: 5_000) { try check(seed) }
    }

    @Test func `what is noted of rests is bounded by what rests, not by how often it was asked for`() {
        var state = PinState(restNanoseconds: 1_000_000, restLimit: 100)
        let objects = (0..<10).map { _ in Restful() }
        func use(_ object: Restful, at now: Int64) {
            let id = state.pin(KeptObject(object), .borrower, by: .program(inScope: nil), line: 0, at: now)
            _ = state.unpin(id, at: now)
            #expect(state.restEntryCount <= 16 + 2 * state.restingCount)
        }
        // The other objects rest throughout, so the outdated entries of the last object lie behind valid ones.
        for (now, object) in objects.enumerated() { use(object, at: Int64(now)) }
        for now in 0..<1_000 { use(objects[9], at: Int64(100 + now)) }
        #expect(state.restingCount == 10 && state.nextRestEnd == 1_000_000)
        #expect(state.endRests(at: 1_000_008).count == 9)
        #expect(state.nextRestEnd == 1_001_099 && state.restEntryCount <= 18)
    }

    @Test func `durations are as many nanoseconds as there can be`() {
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(-Int64.max).nanoseconds == .min)
        // The product fits into 64 bits, but the sum does not.
        #expect((Duration.nanoseconds(Int64.max) + .milliseconds(500)).nanoseconds == .max)
        #expect((Duration.nanoseconds(-Int64.max) - .milliseconds(500)).nanoseconds == .min)
        #expect((Duration.seconds(3) + .nanoseconds(7)).nanoseconds == 3_000_000_007)
    }

    private func check(_ seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let rest = Int64.random(in: 0...20, using: &random)
        let limit = Int.random(in: 0...4, using: &random)
        var state = PinState(restNanoseconds: rest, restLimit: limit)
        var model = Model()
        // The objects that should be alive. The state keeps them alive; the test has only weak references.
        var weaks: [Int: WeakBox] = [:]
        var next = 0
        var now: Int64 = 0
        var old: [PinID] = []
        for step in 0..<200 {
            let context = Comment(rawValue: "seed \(seed), step \(step)")
            now += Int64.random(in: 0...3, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let known = weaks.filter { $0.value.object != nil }.keys.sorted()
                let isNew = known.isEmpty || Bool.random(using: &random)
                let number = isNew ? next : known.randomElement(using: &random)!
                let object: AnyObject = isNew ? Self.make(next) : weaks[number]!.object!
                if isNew {
                    weaks[next] = WeakBox(object)
                    next += 1
                }
                let isScope = Bool.random(using: &random)
                let kind = PinKind.allCases.randomElement(using: &random)!
                let holder: PinState.Holder = isScope ? .scope(UInt64(number)) : .program(inScope: nil)
                let id = state.pin(KeptObject(object), kind, by: holder, line: UInt32(step), at: now)
                #expect(model.pins[id] == nil, context)
                model.pins[id] = Model.Pin(object: number, isScope: isScope)
                if isScope, kind == .owner { model.owned.insert(number) }
                model.resting.removeAll { $0.object == number }
            case 5..<8:
                guard
                    let id = model.pins.keys.sorted(by: { ($0.slot, $0.generation) < ($1.slot, $1.generation) })
                        .randomElement(using: &random), let pin = model.pins.removeValue(forKey: id)
                else { continue }
                old.append(id)
                let unpinned = state.unpin(id, at: now)
                let left = model.pins.values.filter { $0.object == pin.object }
                let isOut = pin.isScope && !left.contains(where: \.isScope)
                let isModel = pin.object % 3 != 0
                let shouldBeGone = isOut && (isModel || model.owned.contains(pin.object))
                #expect(unpinned.shouldBeGone == shouldBeGone, context)
                // The state does not see when an unpinned object is deallocated, so a later pin starts over.
                if left.isEmpty { model.owned.remove(pin.object) }
                let rests = left.isEmpty && rest > 0 && limit > 0 && pin.object % 3 != 0
                #expect(unpinned.rests == rests, context)
                if rests {
                    model.resting.append((pin.object, now + rest))
                    if model.resting.count > limit { model.resting.removeFirst() }
                }
            case 8:
                // Releasing a pin twice has no effect.
                if let id = old.randomElement(using: &random) {
                    #expect(state.unpin(id, at: now).object == nil, context)
                }
            default:
                _ = state.endRests(at: now)
                model.resting.removeAll { $0.until <= now }
            }
            let alive = Set(model.pins.values.map(\.object)).union(model.resting.map(\.object))
            for (number, box) in weaks {
                guard (box.object != nil) == alive.contains(number) else {
                    Issue.record("\(context), object \(number) is \(box.object == nil ? "gone" : "alive")")
                    return
                }
                guard let object = box.object else { continue }
                let pins = state.pins(of: KeptObject(object))
                #expect(pins.count == model.pinned(number).count, context)
                #expect(state.isResting(KeptObject(object)) == model.resting.contains { $0.object == number }, context)
                let isInScope = model.pins.values.contains { $0.object == number && $0.isScope }
                #expect(state.isInScope(KeptObject(object)) == isInScope, context)
            }
            #expect(state.pinCount == model.pins.count && state.objectCount == alive.count, context)
            #expect(state.restingCount == model.resting.count, context)
            #expect(state.nextRestEnd == model.resting.first?.until, context)
            #expect(state.restEntryCount <= 16 + 2 * state.restingCount, context)
        }
    }

    /// Creates an object; every third object does not rest.
    private static func make(_ number: Int) -> AnyObject { number % 3 == 0 ? Plain() as AnyObject : Restful() }

    private struct WeakBox {
        weak var object: AnyObject?

        init(_ object: AnyObject) { self.object = object }
    }
}
