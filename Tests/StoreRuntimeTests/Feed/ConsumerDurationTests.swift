import Foundation
import StoreEngine
import Testing

@testable import StoreRuntime

/// Durations of consumers, which the store saves as seconds.
@Suite struct ConsumerDurationTests {
    /// The byte offset of the lease's seconds in an encoded ``ConsumerState``.
    private static let secondsPlace = 62

    private static func state(_ lease: RetentionLease, _ store: UUID) -> ConsumerState {
        ConsumerState(
            number: 1, generation: 2, position: Position(store: store, epoch: 3, sequence: 4, hash: 5),
            created: Date(timeIntervalSinceReferenceDate: 6), lease: lease)
    }

    private static func bytes(of state: ConsumerState) -> [UInt8] {
        var writer = ByteWriter()
        state.encode(to: &writer)
        return writer.bytes.array()
    }

    @Test(arguments: [0, 0.25, 80, 7 * 86_400, 1e9] as [Double])
    func `a lease's age is kept as its seconds`(seconds: Double) throws {
        let store = UUID()
        let state = Self.state(RetentionLease(age: .seconds(seconds)), store)
        let bytes = Self.bytes(of: state)
        let kept = bytes[Self.secondsPlace..<Self.secondsPlace + 8]
        let stored = kept.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(Double(bitPattern: stored) == seconds)
        #expect(unsafe try ConsumerState(from: bytes.span.bytes, store: store) == state)
    }

    @Test(arguments: [(.infinity, 9e18), (1e300, 9e18), (-1, 0), (.nan, 0), (-.infinity, 0)] as [(Double, Double)])
    func `seconds that no duration holds are cut to the nearest that does`(stored: Double, read: Double) throws {
        let store = UUID()
        var bytes = Self.bytes(of: Self.state(RetentionLease(), store))
        for byte in 0..<8 {
            bytes[Self.secondsPlace + byte] = UInt8(truncatingIfNeeded: stored.bitPattern >> UInt64(8 * byte))
        }
        let state = unsafe try ConsumerState(from: bytes.span.bytes, store: store)
        #expect(state.lease.age == .seconds(read) && state.lease.holds == (read > 0))
        let again = Self.bytes(of: state)
        #expect(unsafe try ConsumerState(from: again.span.bytes, store: store) == state)
    }

    @Test func `each wait before a retry is twice the one before, up to the longest`() {
        var policy = RetryPolicy()
        #expect((1...4).map { policy.delay(after: $0) } == [100, 200, 400, 800].map { .milliseconds($0) })
        #expect(policy.delay(after: 1_000) == .seconds(30))
        (policy.firstDelay, policy.longestDelay) = (.seconds(1), .seconds(Int64.max))
        #expect(policy.delay(after: .max) == .seconds(Int64.max))
        policy.firstDelay = .zero
        #expect(policy.delay(after: 70) == .zero)
    }
}
