import Synchronization
import StoreEngine
import Testing

@testable import StoreCommands

@Suite("Progress bar")
struct ProgressBarTests {
    /// A terminal and a clock that the test moves.
    private final class FakeTerminal: Sendable {
        let start = ContinuousClock.now
        let columns: Int?
        let elapsed = Mutex(Duration.zero)
        let written = Mutex<[String]>([])

        init(columns: Int?) { self.columns = columns }

        func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }

        /// Returns the output since the last call.
        func takeWritten() -> [String] {
            written.withLock { written in
                defer { written = [] }
                return written
            }
        }

        var environment: ProgressBar.Environment {
            ProgressBar.Environment(
                columns: { self.columns },
                now: { self.start + self.elapsed.withLock { $0 } },
                write: { text in self.written.withLock { $0.append(text) } })
        }
    }

    @Test("draws at most ten times a second and clears its line at the end")
    func throttles() {
        let terminal = FakeTerminal(columns: 80)
        let bar = ProgressBar("importing", total: 1_000, unit: "rows", environment: terminal.environment)
        for step in 1...1_000 {
            terminal.advance(.milliseconds(1))
            bar.update(to: step)
        }
        let written = terminal.takeWritten()
        #expect(written.count == 10)
        #expect(written[1] == "\r\u{1B}[Kimporting  [###...........................]   10%  101/1,000 rows")
        bar.finish()
        bar.finish()
        bar.update(to: 1)
        #expect(terminal.takeWritten() == ["\r\u{1B}[K"])
    }

    @Test("writes nothing where there is no terminal, and nothing to clear where nothing was drawn")
    func silent() {
        let pipe = FakeTerminal(columns: nil)
        let bar = ProgressBar("importing", total: 10, unit: "rows", environment: pipe.environment)
        bar.update(to: 5)
        bar.finish()
        #expect(pipe.takeWritten().isEmpty)

        let terminal = FakeTerminal(columns: 80)
        ProgressBar("importing", total: 10, unit: "rows", environment: terminal.environment).finish()
        #expect(terminal.takeWritten().isEmpty)
    }

    @Test("estimates the rest after a second, and gives the rate when the end is unknown")
    func estimates() {
        func text(_ completed: Int, of total: Int?, after elapsed: Duration, width: Int = 100) -> String {
            ProgressLine(label: "x", completed: completed, total: total, unit: "rows", elapsed: elapsed).text(
                width: width)
        }
        #expect(text(50, of: 100, after: .milliseconds(500)).hasSuffix("50%  50/100 rows"))
        #expect(text(25, of: 100, after: .seconds(10)).hasSuffix("25%  25/100 rows  30 s left"))
        #expect(text(1, of: 100, after: .seconds(10)).hasSuffix("  17 min left"))
        #expect(text(1, of: 1_000, after: .seconds(60)).hasSuffix("  17 h left"))
        #expect(text(100, of: 100, after: .seconds(10)).hasSuffix("100%  100/100 rows"))
        #expect(text(200, of: 100, after: .seconds(10)).hasSuffix("100%  200/100 rows"))
        #expect(text(1_234_567, of: nil, after: .seconds(2)) == "x  1,234,567 rows  617,283/s")
        #expect(text(0, of: 0, after: .seconds(2)) == "x  0 rows  0/s")
        #expect(text(50, of: 100, after: .seconds(10), width: 25) == "x  50%  50/100 rows  10 …")
        for width in 1..<60 {
            #expect(DisplayText.width(of: text(.max - 1, of: .max, after: .seconds(9), width: width)) <= width)
        }
    }
}
