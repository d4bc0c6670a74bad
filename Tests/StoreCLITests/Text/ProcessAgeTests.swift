import Glibc
import Testing

@testable import StoreCommands

@Suite("Process age") struct ProcessAgeTests {
    @Test(arguments: ["cat", "a b", "x) S 1 (y", ""]) func `A process may have any name`(name: String) {
        let line = "17 (\(name)) S 1 17 17 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 5000 99 98"
        #expect(ProcessAge.startSeconds(in: line) == 5_000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test(arguments: ["", "17", "17 (cat", "17 (cat) S 1 2 3"]) func `A line cut short tells nothing`(line: String) {
        #expect(ProcessAge.startSeconds(in: line) == nil)
    }

    @Test func `There is no age of a process that is gone`() {
        #expect(ProcessAge.seconds(of: getpid()) != nil)
        #expect(ProcessAge.seconds(of: .max) == nil)
    }
}
