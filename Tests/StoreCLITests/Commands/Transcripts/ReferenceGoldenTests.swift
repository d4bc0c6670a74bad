import Testing

/// The output of commands on types that refer to each other, and how the commands preserve references.
@Suite("References, word by word") struct ReferenceGoldenTests {
    private static let schema = """
        {"types": [
          {"name": "Room", "id": ["id"],
           "fields": [{"name": "id", "type": "string"}, {"name": "floor", "type": "int32"}]},
          {"name": "Person", "id": ["id"],
           "fields": [{"name": "id", "type": "int64"}, {"name": "name", "type": "string"},
             {"name": "boss", "type": {"optional": {"reference": "Person", "id": "int64"}}, "onDelete": "nullify"}]},
          {"name": "Desk", "id": ["number"],
           "fields": [{"name": "number", "type": "int32"},
             {"name": "room", "type": {"reference": "Room", "id": "string"}},
             {"name": "owner", "type": {"optional": {"reference": "Person", "id": "int64"}}, "onDelete": "cascade"},
             {"name": "users", "type": {"array": {"reference": "Person", "id": "int64"}}, "onDelete": "nullify"}]}]}
        """

    private func tool() throws -> Tool {
        let tool = try Tool()
        try tool.write("schema.json", Self.schema)
        try tool.run("create", "--schema", "schema.json")
        try tool.write("rooms.jsonl", "{\"id\": \"attic\", \"floor\": 3}\n{\"id\": \"cellar\", \"floor\": -1}\n")
        try tool.write(
            "people.jsonl",
            """
            {"id": 1, "name": "Ann", "boss": 2}
            {"id": 2, "name": "Bob", "boss": 2}
            {"id": 3, "name": "Eve"}

            """)
        try tool.write(
            "desks.jsonl",
            """
            {"number": 1, "room": "attic", "owner": 1, "users": [1, 3]}
            {"number": 2, "room": "cellar", "users": []}
            {"number": 3, "room": "attic", "owner": 2, "users": [3]}

            """)
        for (type, file) in [("Room", "rooms"), ("Person", "people"), ("Desk", "desks")] {
            try tool.run("import", type, "\(file).jsonl")
        }
        return tool
    }

    @Test func `nothing that a command does leaves a reference to nothing`() throws {
        var transcript = Transcript(try tool())
        try transcript.run("schema", "Desk")
        try transcript.run("--output", "json", "schema", "Desk")
        try transcript.run("insert", "Desk", #"{"number": 9, "room": "hall", "users": []}"#)
        try transcript.run("upsert", "Desk", #"{"number": 1, "room": "attic", "users": [1, 7]}"#)
        try transcript.run("set", "Desk", "1", "room=hall")
        try transcript.run("import", "Desk", "-", input: #"{"number": 9, "room": "hall", "users": []}"#)
        try transcript.run("delete", "Room", "attic")
        try transcript.run("delete", "Room", "--where", "floor > 0", "--yes")
        try transcript.run("--output", "jsonl", "query", "Desk")
        try transcript.run("delete", "Person", "2", "--dry-run")
        try transcript.run("delete", "Person", "--where", "id == 2", "--dry-run")
        try transcript.run("delete", "Person", "2")
        try transcript.run("delete", "Person", "3")
        try transcript.run("--output", "jsonl", "query", "Person")
        try transcript.run("--output", "jsonl", "query", "Desk")
        try transcript.run("verify")
        try transcript.expect("references")
    }

    @Test(arguments: [
        ["set", "Desk", "1", "room=hall"], ["set", "Desk", "1", "users=[1, 7]"],
        ["set", "Desk", "--where", "number == 1", "room=hall", "--yes"], ["set", "Person", "3", "boss=1"],
        ["delete", "Room", "attic"], ["delete", "Room", "--where", "floor > 0", "--yes"], ["delete", "Person", "2"],
        ["undo", "2"], ["undo", "4"], ["revert", "2"],
    ]) func `a dry run fails where the command fails, and changes nothing`(command: [String]) throws {
        let tool = try tool()
        let before = try tool.run("feed")
        let trial = try tool.run(command + ["--dry-run"])
        #expect(try tool.run("feed") == before)
        let run = try tool.run(command)
        #expect(trial.status == run.status, "\(trial)\n\(run)")
    }

    @Test func `a line that refers to nothing is named, and left out where others are wanted`() throws {
        let tool = try tool()
        // Person 12 is skipped because its boss does not exist, so 11 has no boss either. The boss of 15 follows in a later line.
        try tool.write(
            "people.jsonl",
            """
            {"id": 11, "name": "Ann", "boss": 12}
            {"id": 12, "name": "Ben", "boss": 99}
            {"id": 13, "name": "Cid"}
            {"id": 15, "name": "Dot", "boss": 16}
            {"id": 16, "name": "Eve", "boss": 15}
            """)
        var transcript = Transcript(tool)
        try transcript.run("import", "Person", "people.jsonl")
        try transcript.run("import", "Person", "people.jsonl", "--on-error", "skip")
        try transcript.run("query", "Person", "--where", "id > 10", "--fields", "id,boss")
        try transcript.expect("references-import")
    }

    @Test func `records that are named together may go by each other's rules`() throws {
        let tool = try Tool()
        try tool.write(
            "schema.json",
            """
            {"types": [{"name": "Part", "id": ["id"],
              "fields": [{"name": "id", "type": "int64"},
                {"name": "whole", "type": {"optional": {"reference": "Part", "id": "int64"}}, "onDelete": "cascade"}]}]}
            """)
        try tool.run("create", "--schema", "schema.json")
        let parts = "{\"id\": 1}\n{\"id\": 2, \"whole\": 1}\n{\"id\": 3, \"whole\": 2}\n{\"id\": 4}\n"
        try tool.run("import", "Part", "-", input: parts)
        #expect(try tool.run("delete", "Part", "1", "9").status == 1)
        #expect(try tool.run("query", "Part", "--count").output == "4\n")
        #expect(try tool.run("delete", "Part", "1", "3").status == 0)
        #expect(try tool.run("--output", "jsonl", "query", "Part", "--fields", "id").output == "{\"id\":4}\n")
    }

    @Test func `conditions and orders reach through references`() throws {
        var transcript = Transcript(try tool())
        for condition in [
            "room == 'attic'", "room.id == 'attic'", "room.floor < 0", "owner.name startsWith 'A'",
            "owner.boss.name == 'Bob'", "owner.name != 'Ann'", "owner.name == null", "owner == null",
            "users contains 3", "room.floor between 1 and 5 and not (owner.boss.boss.name isEmpty)",
        ] {
            try transcript.run("--output", "jsonl", "query", "Desk", "--where", condition, "--fields", "number")
        }
        for order in ["room.floor,-number", "-owner.name"] {
            try transcript.run("--output", "jsonl", "query", "Desk", "--sort", order, "--fields", "number")
        }
        let token = "AbpU6ttLESSjAQEIHQAAAAAAAAAIHQAAAAAAAAA"
        let byFloor = ["--output", "jsonl", "query", "Desk", "--sort", "-room.floor", "--fields", "number"]
        for page in [["--limit", "2"], ["--limit", "2", "--offset", "2"], ["--limit", "2", "--after", token]] {
            try transcript.run(byFloor + page)
        }
        try transcript.run(byFloor + ["--limit", "2", "--after", "AayhAR_f7XqDAQEEAwAAAAQBAAAA"])
        for mistake in [
            "room.flor > 1", "room.floor.x > 1", "room == 3", "users.name == 'Ann'",
            "owner.boss.boss.boss.boss.boss.name == 'Ann'", "users any (boss.boss.boss.boss.name == 'Ann')",
            "owner.boss.boss.boss.inverse(Desk.owner) any (width > 1)",
            "users any (inverse(Desk.owner) any (owner.boss.boss.name == 'Ann'))",
        ] {
            try transcript.run("query", "Desk", "--where", mistake)
        }
        try transcript.expect("references-query")
    }

    @Test func `rows and groups hold what stands behind references`() throws {
        var transcript = Transcript(try tool())
        try transcript.run("query", "Desk", "--fields", "number,room.floor,owner.boss.name")
        try transcript.run("--output", "csv", "query", "Desk", "--fields", "room.floor,owner", "--distinct")
        try transcript.run(
            "--output", "jsonl", "query", "Desk", "--fields", "owner.name", "--distinct", "--sort", "-number")
        try transcript.run("query", "Desk", "--fields", "room.floor", "--distinct", "--count")
        try transcript.run("--output", "jsonl", "query", "Desk", "--group", "room.floor")
        try transcript.run(
            "--output", "table", "query", "Desk", "--group", "owner.boss.name,room.floor", "--aggregate",
            "count,sum:number", "--sort", "-owner.boss.name", "--limit", "2")
        for mistake in ["room.flor", "users.name"] {
            try transcript.run("query", "Desk", "--group", mistake)
            try transcript.run("query", "Desk", "--fields", mistake)
        }
        try transcript.run("query", "Desk", "--aggregate", "count,sum:room.floor,max:owner.name")
        try transcript.run("query", "Desk", "--aggregate", "sum:owner.name")
        for condition in [
            "room.floor * 2 > 1", "room.floor + number > 3", "room.floor == number", "owner.boss.id - owner.id > 0",
            "owner.name < room",
        ] {
            try transcript.run("--output", "jsonl", "query", "Desk", "--where", condition, "--fields", "number")
        }
        try transcript.expect("references-groups")
    }

    @Test(arguments: [("jsonl", 0), ("csv", 1)])
    func `watch follows what stands behind references`(form: String, headCount: Int) throws {
        let tool = try tool()
        let command = [
            "--output", form, "watch", "Desk", "--fields", "number,room.floor,owner.boss.name", "--updates", "4",
        ]
        let watcher = Follower(try tool.start(command))
        let changes: [(command: [String], lineCount: Int)] = [
            (["get", "Desk", "1"], 3), (["set", "Room", "attic", "floor=7"], 5),
            (["set", "Person", "2", "name=Rob"], 7),
            // The new room is on the same floor, so no shown value changes.
            (["insert", "Room", #"{"id": "loft", "floor": 7}"#], 7), (["set", "Desk", "3", "room=loft"], 7),
            // The new owner has no boss.
            (["set", "Desk", "1", "owner=3"], 8), (["delete", "Desk", "2"], 9),
        ]
        for (command, lineCount) in changes {
            #expect(try tool.run(command).status == 0)
            // The test waits after each command, so that no updates merge.
            try watcher.waitForOutput { $0.count { $0 == "\n" } == headCount + lineCount }
        }
        var transcript = Transcript(tool)
        transcript.note(try watcher.started.finish(), of: command)
        try transcript.expect("references-watch-\(form)")
    }

    @Test func `conditions ask the records that refer to one, and those that elements lead to`() throws {
        var transcript = Transcript(try tool())
        let asked: [(type: String, id: String, conditions: [String])] = [
            (
                "Room", "id",
                [
                    "inverse(Desk.room) isEmpty", "!isEmpty(inverse(Desk.room))",
                    "inverse(Desk.room) any (owner.name == 'Ann')", "inverse(Desk.room) all (users isEmpty)",
                    "inverse(Desk.room) not any (number > 2)", "count(inverse(Desk.room)) > 1",
                    "count(inverse(Desk.room) where users contains 3) == 2",
                    "floor > 0 and inverse(Desk.room) any (owner == 1)",
                ]
            ),
            (
                "Person", "id",
                [
                    "inverse(Desk.users) any (room.floor > 0)", "inverse(Person.boss) any (name == 'Ann')",
                    "inverse(Person.boss) any (inverse(Desk.owner) any (number == 1))",
                ]
            ),
            (
                "Desk", "number",
                [
                    "users any (name startsWith 'E')", "users any (it == 1)", "users all (boss == null)",
                    "users any (inverse(Desk.owner) isEmpty)", "room.inverse(Desk.room) any (number == 3)",
                    "count(owner.boss.inverse(Person.boss)) > 1", "owner.inverse(Desk.users) isEmpty",
                    "not (owner.inverse(Desk.users) isEmpty)", "!isEmpty(room.inverse(Desk.room))",
                    "count(room.inverse(Desk.room) where users contains 3) == 2",
                    "users any (boss.inverse(Person.boss) any (name == 'Ann'))",
                ]
            ),
        ]
        for (type, id, conditions) in asked {
            for condition in conditions {
                try transcript.run("--output", "jsonl", "query", type, "--where", condition, "--fields", id)
            }
        }
        try transcript.run(
            "query", "Room", "--where", "floor > 0 and inverse(Desk.room) any (owner == 1)", "--explain", "--analyze")
        try transcript.run("set", "Room", "attic", "floor=4", "--if", "count(inverse(Desk.room)) == 3")
        for mistake in [
            "inverse(Desk.rooms) isEmpty", "inverse(Desk.room) isEmpty", "inverse(Desk.owner) isEmpty",
            "inverse(Desk) isEmpty", "inverse(Desk.room)", "inverse(Desk.room) > 3", "inverse(Desk.room) contains 3",
            "count(inverse(Desk.room) and floor > 3) > 1", "inverse(Desk.room) any (floor > 3)",
        ] {
            try transcript.run("query", "Room", "--where", mistake)
        }
        for mistake in [
            "users.inverse(Desk.users) isEmpty", "number.inverse(Desk.room) isEmpty",
            "room.inverse(Desk.owner) isEmpty",
            "roam.inverse(Desk.room) isEmpty", "room.inverse(Desk.room)",
            "owner.boss.boss.boss.inverse(Desk.users) any (room.floor > 1)",
        ] {
            try transcript.run("query", "Desk", "--where", mistake)
        }
        try transcript.expect("references-inverse")
    }

    @Test func `what is exported can be imported elsewhere at once, cycles included`() throws {
        let tool = try tool()
        let schema = try tool.run("--output", "json", "schema").output
        let records = try tool.run("export").output
        let other = try Tool()
        try other.write("schema.json", schema)
        try other.write("all.jsonl", records)
        #expect(try other.run("create", "--schema", "schema.json").status == 0)
        #expect(try other.run("import", "all.jsonl").status == 0)
        #expect(try other.run("export").output == records)
        #expect(try other.run("--output", "json", "schema").output == schema)
    }
}
