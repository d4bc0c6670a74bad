import Testing

/// The output of `watch`, compared with golden files.
@Suite("Watching, word by word") struct WatchGoldenTests {
    private static let forms = ["table", "json", "jsonl", "csv"]

    @Test func `watch shows the rows first`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in Self.forms {
            try transcript.run("--output", form, "watch", "Sensor", "--updates", "0")
            try transcript.run(
                "--output", form, "watch", "Sensor", "--updates", "0", "--sort", "-celsius", "--offset", "1", "--limit",
                "1",
                "--fields", "address.city,room")
            try transcript.run("--output", form, "watch", "Sensor", "--updates", "0", "--where", "false")
        }
        try transcript.run("--output", "jsonl", "watch", "Seat", "--updates", "0")
        try transcript.expect("watch")
    }

    @Test(arguments: [
        ("watch-all", ["--sort", "celsius"], [7, 8, 9, 10, 11, 12]),
        ("watch-where", ["--where", "room == 'hall'"], [8, 9, 10, 12]),
        ("watch-window", ["--sort", "-celsius,id", "--limit", "2", "--fields", "celsius"], [7, 9, 11]),
    ]) func `watch shows each change`(name: String, options: [String], positions: [Int]) throws {
        let tool = try Sample.tool()
        let watchers = try Self.forms.map { form in
            let command = ["--output", form, "watch", "Sensor", "--updates", "\(positions.count)"] + options
            let watcher = Follower(try tool.start(command))
            try watcher.waitForOutput { $0.contains("s3") }
            return (form, command, watcher)
        }
        for (number, change) in [
            ["set", "Sensor", "s1", "celsius=99"], ["set", "Sensor", "s3", "note=none\nof it", "room=attic"],
            ["insert", "Sensor", #"{"id":"s0","room":"hall","serial":"x","celsius":20.75,"tags":[]}"#],
            ["set", "Sensor", "s2", "room=hall"], ["delete", "Sensor", "s1"], ["delete", "Sensor", "s2"],
        ].enumerated() {
            #expect(try tool.run(change).status == 0)
            // The test waits after each command, so that no updates merge.
            let position = number + 7
            guard positions.contains(position) else { continue }
            for (form, _, watcher) in watchers {
                try watcher.waitForOutput { $0.contains(try Regex(Self.mark(of: position, form))) }
            }
        }
        var transcript = Transcript(tool)
        for (_, command, watcher) in watchers { transcript.note(try watcher.started.finish(), of: command) }
        try transcript.expect(name)
    }

    /// Returns the text that the output contains once it has reached a position.
    private static func mark(of position: Int, _ form: String) -> String {
        switch form {
        case "table": "\n *\(position)  "
        case "csv": "\n\(position),"
        default: "\"position\":\(position),"
        }
    }

    @Test func `mistakes in watch`() throws {
        var transcript = Transcript(try Sample.tool())
        try transcript.run("watch", "Sensr")
        try transcript.run("watch", "Sensor", "--where", "celcius > 1")
        try transcript.run("watch", "Sensor", "--sort", "tags")
        try transcript.run("watch", "Sensor", "--fields", "celcius")
        try transcript.run("watch", "Sensor", "--limit", "-1")
        try transcript.run("watch", "Sensor", "--updates", "-1")
        try transcript.run("watch", "Sensor", "--after", "x")
        try transcript.run("watch")
        try transcript.run("--store", "nowhere", "watch", "Sensor")
        try transcript.expect("watch-mistakes")
    }
}
