import Foundation
import Testing

@Suite("Import, word by word") struct ImportGoldenTests {
    private static let people = """
        id,name,score,when,ok,code,key
        1,Ann,1,2001-02-03T04:05:06Z,true,007,6F9619FF-8B86-D011-B42D-00CF4FC964FF
        2,,2,,false,08,6F9619FF-8B86-D011-B42D-00CF4FC964FE
        3,"",9.5,2001-02-03T04:05:06.125+01:00,,"x""y",6F9619FF-8B86-D011-B42D-00CF4FC964FD

        """

    @Test func `Records of a type that the store has`() throws {
        let tool = try Sample.empty()
        try tool.write("good.jsonl", Sample.sensors)
        try tool.write("good.csv", "id,room,serial,tags,note\ns7,r,X,[],\ns8,\"\",Y,\"[\"\"a\"\"]\",\"\"\n")
        try tool.write(
            "bad.jsonl",
            """
            {"id": "s4", "room": "r", "serial": "S4", "tags": []}

            {"id": "s5", "room": "r", "serial": "S5", "tags": [], "celsius": "warm"}
            {"id": "s6", "room": "r", "serial": "S6", "tags": [], "celcius": 1}
            not JSON
            [1, 2]
            {"id": "s1", "room": "attic", "serial": "A-17", "tags": []}
            {"id": "s9", "room": "r", "serial": "A-18", "tags": []}
            {"id": "s10", "room": "r", "serial": "S10", "tags": []}
            """)
        try tool.write("bad.csv", "id,room,serial,tags\ns7,r,X,[]\ns8,r,Y\ns9,r,Z,none\ns10,\"r,W,[]\n")
        try tool.write("columns.csv", "id,rom,serial\n")
        try tool.write("twice.csv", "id,room,room\n")
        try tool.write("empty.csv", "")
        try tool.write("empty.jsonl", "")
        try tool.write("good.txt", Sample.sensors)
        var transcript = Transcript(tool)
        try transcript.run("import", "Sensor", "good.jsonl")
        try transcript.run("import", "Sensor", "good.jsonl")
        try transcript.run("import", "Sensor", "good.csv")
        try transcript.run("import", "Sensor", "bad.jsonl")
        try transcript.run("import", "Sensor", "-", input: #"{"id":"u","room":"r","serial":"A-18","tags":[]}"#)
        try transcript.run("import", "Sensor", "bad.csv")
        try transcript.run("types")
        try transcript.run("import", "Sensor", "bad.jsonl", "--on-error", "skip")
        try transcript.run("import", "Sensor", "bad.csv", "--on-error", "skip")
        try transcript.run("export", "Sensor")
        for name in ["columns.csv", "twice.csv", "empty.csv", "empty.jsonl", "good.txt", "missing.jsonl"] {
            try transcript.run("import", "Sensor", name)
        }
        try transcript.run("import", "Sensor", "good.txt", "--format", "jsonl")
        try transcript.run("import", "Sensor", "good.jsonl", "--id", "id")
        try transcript.run("import", "Sensors", "good.jsonl")
        try transcript.run("import", "Sensor")
        try transcript.expect("import")
    }

    @Test func `A type that is made from the input`() throws {
        let tool = try Sample.empty()
        try tool.write("people.csv", Self.people)
        try tool.write(
            "things.jsonl",
            """
            {"hall": "a", "row": 1, "n": 1, "big": 18446744073709551615, "tags": [1, 2], "at": {"x": 1}, "any": 1}
            {"hall": "a", "row": 2, "n": 2.5, "big": 1, "tags": [], "at": {"x": 2, "y": "z"}, "any": "text"}
            {"hall": "b", "row": 1, "n": 3, "big": 0, "tags": [null], "at": null, "any": true, "late": 7}
            """)
        try tool.write("twins.jsonl", "{\"a\": 1, \"b\": 1}\n{\"a\": 2, \"b\": 1}\n{\"b\": 2}\n{\"a\": \"x\"}\n")
        var transcript = Transcript(tool)
        try transcript.run("import", "Person", "people.csv")
        try transcript.run(
            "import", "Person", "people.csv", "--id", "id", "--unique", "key", "--index", "score,name", "--index", "ok")
        try transcript.run("schema", "Person")
        try transcript.run("export", "Person")
        try transcript.run("--output", "csv", "export", "Person")
        try transcript.run("import", "Thing", "things.jsonl", "--id", "hall", "--id", "row")
        try transcript.run("schema", "Thing")
        try transcript.run("export", "Thing")
        try transcript.run("get", "Thing", "b,1")
        try transcript.run("import", "Twin", "twins.jsonl", "--id", "a")
        try transcript.run("import", "Twin", "twins.jsonl", "--id", "c")
        try transcript.run("import", "Twin", "-", "--id", "a", input: "{\"a\": 1}\n{\"b\": 2}\n")
        let same = "{\"a\":1,\"b\":1}\n{\"a\":2,\"b\":1}\n"
        try transcript.run("import", "Twin", "-", "--id", "a", "--unique", "b", input: same)
        try transcript.run("import", "Twin", "-", "--id", "a", input: "")
        try transcript.run("types")
        try transcript.expect("import-new")
    }

    @Test func `All types at once`() throws {
        let tool = try Sample.tool()
        let all = try tool.run("export").output
        try tool.write("all.jsonl", all)
        try tool.run("--store", "other", "create", "--schema", "schema.json")
        var transcript = Transcript(tool)
        try transcript.run("--store", "other", "import", "all.jsonl")
        try transcript.run("--store", "other", "types")
        try transcript.run("import", "-", input: #"{"type": "Sensr", "record": {}}"#)
        try transcript.run("import", "-", input: #"{"id": "s1"}"#)
        try transcript.run("import", "-", "--format", "csv", input: "a,b\n")
        try transcript.run("import", "nowhere.jsonl")
        try transcript.expect("import-all")
    }
}
