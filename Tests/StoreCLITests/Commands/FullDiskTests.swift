import Foundation
import Glibc
import Testing
import TestSupport

/// A full disk is an error of each command that writes, and no error of a command that reads.
///
/// The store lies on a small file system of its own, which only root can mount. The mount lives in a mount namespace of the
/// script, so it ends with the script.
@Suite(.enabled(if: geteuid() == 0), .timeLimit(.minutes(TestLength.waitMinutes))) struct FullDiskTests {
    /// Runs a script in a folder with a file system of 4 MiB, and returns its output: one line for each command.
    private func run(_ script: String) throws -> [String] {
        let tool = try Tool()
        try tool.write("schema.json", Sample.schema)
        try tool.write("sensors.jsonl", Sample.sensors)
        let prelude = """
            set -u
            mkdir disk && mount -t tmpfs -o size=4m tmpfs disk || exit 3
            export MODELSTORE_DIR=disk/store
            cli='\(Tool.executable)'
            # Prints a command's status, and its error if it has one.
            try() { "$cli" "$@" >.output 2>.error </dev/null; echo "$1 $? $(head -n 1 .error)"; }
            fill() { dd if=/dev/zero of=disk/filler bs=1k 2>.dd; grep -q 'No space' .dd || exit 4; }
            "$cli" import --create --schema schema.json Sensor sensors.jsonl >.output 2>.error || { cat .error; exit 5; }

            """
        let started = try tool.start(["-m", "/bin/bash", "-c", prelude + script], program: "/usr/bin/unshare")
        let run = try started.finish()
        try #require(run.status == 0, "\(run)")
        return run.output.split(separator: "\n").map(String.init)
    }

    private static let reading = [
        "get Sensor s1", "query Sensor", "types", "stat", "readers", "verify", "feed", "export Sensor", "consumers",
    ]

    @Test func `reading works, and a write fails, changes nothing and works again once there is room`() throws {
        let reads = Self.reading.map { "try \($0)" }.joined(separator: "\n")
        let output = try run(
            """
            fill
            \(reads)
            try insert Sensor '{"id": "s9", "room": "attic", "serial": "Z", "tags": []}'
            try get Sensor s9
            rm disk/filler
            try insert Sensor '{"id": "s9", "room": "attic", "serial": "Z", "tags": []}'
            try get Sensor s9
            try verify
            """)
        let names = Self.reading.map { $0.split(separator: " ")[0] }
        try #require(output.count == names.count + 5, "\(output)")
        #expect(zip(names, output).allSatisfy { $1.hasPrefix("\($0) 0 ") }, "\(output)")
        let rest = output.dropFirst(names.count).map { $0 }
        #expect(rest[0].hasPrefix("insert 74 error: ") && rest[0].contains("No space left on device"), "\(rest)")
        #expect(rest[1].hasPrefix("get 1 "))
        let statuses = rest[2...].map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(statuses == ["insert 0", "get 0", "verify 0"], "\(rest)")
    }

    @Test func `without a lock file, reading says that it needs room`() throws {
        let output = try run(
            """
            rm disk/store/lock.mdb
            fill
            try get Sensor s1
            try verify
            rm disk/filler
            try get Sensor s1
            """)
        try #require(output.count == 3, "\(output)")
        for line in output[..<2] {
            #expect(line.contains(" 74 error: ") && line.contains("lock.mdb") && line.contains("full"), "\(line)")
        }
        #expect(output[2] == "get 0 ")
    }

    @Test func `programs that run go on, and readers see what is written after`() throws {
        let output = try run(
            """
            "$cli" feed --follow --output jsonl >followed 2>.errors & feed=$!
            "$cli" watch Sensor --output jsonl >watched 2>.errors & watch=$!
            until grep -q s3 watched && grep -q s3 followed; do sleep 0.05; done
            fill
            try get Sensor s1
            try set Sensor s1 celsius=30
            rm disk/filler
            try set Sensor s1 celsius=31
            until grep -q 31 watched && grep -q 31 followed; do sleep 0.05; done
            kill -INT $feed $watch
            wait $feed; echo "feed $?"
            wait $watch; echo "watch $?"
            """)
        try #require(output.count == 5, "\(output)")
        #expect(output[0] == "get 0 " && output[1].hasPrefix("set 74 error: ") && output[2] == "set 0 ", "\(output)")
        #expect(output[3...] == ["feed 0", "watch 0"], "\(output)")
    }
}
