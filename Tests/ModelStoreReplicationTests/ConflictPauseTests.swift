import Testing

@testable import ModelStoreReplication

/// The pause of a node that has lost appends.
struct ConflictPauseTests {
    @Test func `a lost append is retried at once, and further ones wait for longer and longer`() {
        var pause = ConflictPause()
        var windows: [Duration] = []
        for _ in 0..<7 {
            pause.lost()
            windows.append(pause.window)
        }
        #expect(windows == [0, 50, 100, 200, 400, 400, 400].map { .milliseconds($0) })
        pause.appended()
        pause.lost()
        #expect(pause.window == .zero)
    }
}
