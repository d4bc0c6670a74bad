import ModelStore
import ModelStoreComponents
import Synchronization
import TestSupport
import Testing

private struct Volume: Sendable, Equatable {
    var left = 0
    var right = 0
}

private final class Amplifier: ObservableObject, Sendable {
    @Published var count = 0
    @Published var volume = Volume()
    private let gain = Subject(0)

    /// A computed property that announces its change itself.
    var tuned: Int {
        get { gain.value }
        set { objectWillChange.send { gain.value = newValue } }
    }

    /// A computed property of two published ones.
    var doubled: Int {
        get { count * 2 }
        set {
            count = newValue / 2
            volume.right = newValue
        }
    }
}

@Component
private struct Knobs {
    let handed: Subject<[String: Binding<Int>]>
    @StateObject var amplifier = Amplifier()
    @State var own = 0

    func update(_ context: inout ComponentContext) {
        handed.send([
            "published": $amplifier.count, "part": $amplifier.volume.left, "computed": $amplifier.tuned,
            "two": $amplifier.doubled, "state": $own,
        ])
    }
}

/// An update of a binding is one step, whatever the binding leads to.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct AtomicBindingTests {
    private let rounds = TestLength.runs(2_000, long: 20_000)

    /// Adds numbers from four tasks.
    private func add(_ step: Int, to binding: Binding<Int>) async {
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [rounds] in for _ in 0..<rounds { binding.update { $0 += step } } }
            }
        }
    }

    @Test(arguments: ["published", "part", "computed", "two", "state"])
    func `no update of a component's binding is lost`(name: String) async throws {
        try await Scene.run { scene in
            let handed = Subject<[String: Binding<Int>]>([:])
            let host = try await scene.scope.host { Knobs(handed: handed) }
            let binding = try #require(handed.value[name])
            await add(2, to: binding)
            try await host.settle()
            #expect(binding.wrappedValue == 8 * rounds)
            handed.send([:])
        }
    }

    @Test func `no update of a binding with a getter and a setter is lost`() async {
        let count = Subject(0)
        let binding = Binding(get: { count.value }, set: { count.send($0) })
        await add(1, to: binding)
        #expect(count.value == 4 * rounds)
        let outer = Binding(get: { binding.wrappedValue }, set: { binding.wrappedValue = $0 })
        await add(1, to: outer)
        #expect(count.value == 8 * rounds)
        let left = Subject(Volume())
        let part = left.binding.left
        await add(1, to: Binding(get: { part.wrappedValue }, set: { part.wrappedValue = $0 }))
        #expect(left.value == Volume(left: 4 * rounds))
    }

    @Test func `an update that is overtaken sets nothing, and runs again with the new value`() {
        let (first, second) = (Subject(1), Subject(10))
        let binding = Binding {
            first.value
        } set: {
            first.send($0)
            second.send($0)
        }
        let seen = Mutex<[Int]>([])
        binding.update { value in
            seen.withLock { $0.append(value) }
            // Stands for another thread.
            if value == 1 { first.send(5) }
            value += 1
        }
        #expect(seen.withLock { $0 } == [1, 5] && first.value == 6 && second.value == 6)
    }

    @Test func `an observer that an update calls makes sets of its own`() {
        let amplifier = Amplifier()
        let isFirst = Atomic(true)
        let token = amplifier.objectWillChange.observe { [unowned amplifier] in
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            amplifier.count = 10
            amplifier.volume = Volume(left: 3, right: 3)
        }
        Binding(get: { amplifier.count }, set: { amplifier.count = $0 }).update { $0 += 1 }
        #expect(amplifier.count == 11 && amplifier.volume.left == 3)
        token.cancel()
    }
}
