import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

private struct Refusal: Error, CustomStringConvertible {
    let description = "refused\nin two lines"
}

/// Fails with each update.
@Component
private struct Refusing {
    let count: Subject<Int>

    func update(_ context: inout ComponentContext) throws {
        _ = count.value
        throw Refusal()
    }
}

/// Requests an object that no scope provides.
@Component
private struct Lacking {
    let count: Subject<Int>
    @EnvironmentObject var thing: Thing

    func update(_ context: inout ComponentContext) { _ = (count.value, thing.count) }
}

/// A program that makes three mistakes, each of them twice.
private enum Mistaken {
    static func run(_ options: OwnershipOptions = OwnershipOptions()) async throws {
        var storeOptions = StoreOptions()
        storeOptions.addressSpaceByteCount = 64 << 20
        storeOptions.ownership = options
        let store = try Store.temporary(records: Sensor.self, options: storeOptions)
        try await store.write { _ = try $0.insert(Sensor(id: "s1", room: "hall")) }
        let sensor = try store.model(Sensor.self, id: "s1")
        try await sensor.delete()
        for number in 1...2 { sensor.binding(\.celsius).wrappedValue = Double(number) }
        // This write runs after those of the bindings.
        try await store.write { _ = try $0.insert(Sensor(id: "s2", room: "hall")) }
        try await store.withScope("app") { scope in
            let count = Subject(0)
            let refusing = try await scope.host { Refusing(count: count) }
            let lacking = try await scope.host { Lacking(count: count) }
            count.send(1)
            try await refusing.settle()
            try await lacking.settle()
        }
    }
}

/// The warnings that a program without a notice handler prints about its mistakes.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct StandardErrorTests {
    private func warnings(_ result: ExitTest.Result) -> [String] {
        String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.contains("ModelStore: ") }
    }

    @Test func `each notice is one line on standard error, once for a line of source`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await Mistaken.run()
        }
        let warnings = warnings(result)
        for text in ["refused in two lines", "a binding set", "Thing"] {
            let lines = warnings.filter { $0.contains(text) }
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.hasPrefix("ModelStore: warning: "))
            #expect(line.contains(" (ModelStoreComponentsTests/StandardErrorTests.swift:") && line.hasSuffix(")"))
        }
        #expect(warnings.count == 3)
    }

    @Test func `an id in a warning cannot control the terminal`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = try Store.temporary(records: Sensor.self)
            let id = "s\u{1B}]0;title\u{7}\u{202E}"
            try await store.write { _ = try $0.insert(Sensor(id: id, room: "hall")) }
            let sensor = try store.model(Sensor.self, id: id)
            try await sensor.delete()
            sensor.binding(\.celsius).wrappedValue = 1
            // This write runs after that of the binding.
            try await store.write { _ = try $0.insert(Sensor(id: "s2", room: "hall")) }
        }
        let line = try #require(warnings(result).first)
        #expect(line.contains("]0;title") && line.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    }

    @Test func `a program that handles notices itself has none on standard error`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var options = OwnershipOptions()
            options.onNotice = { _ in }
            try await Mistaken.run(options)
        }
        #expect(warnings(result) == [])
    }
}
