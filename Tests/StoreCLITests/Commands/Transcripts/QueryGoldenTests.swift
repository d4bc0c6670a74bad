import Testing

/// The output of `query` in every format, and its errors, compared with golden files.
@Suite("Queries, word by word") struct QueryGoldenTests {
    @Test func `query`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in ["table", "json", "jsonl", "csv"] {
            try transcript.run("--output", form, "query", "Sensor")
            try transcript.run("--output", form, "query", "Sensor", "--fields", "id,address.city,celsius")
            try transcript.run("--output", form, "query", "Sensor", "--where", "false")
            try transcript.run("--output", form, "query", "Sensor", "--count")
        }
        try transcript.expect("query")
    }

    @Test func `query with conditions`() throws {
        var transcript = Transcript(try Sample.tool())
        for condition in [
            "celsius > 20", "20 >= celsius", "celsius == -inf", "-inf < celsius", "room in ['bath', 'hall']",
            "room not in ['bath', 'hall']", "celsius between 20 and 21", "note == null", "note != null", "note isEmpty",
            "tags contains 'dry'", "count(tags) > 1", "tags isEmpty", "serial startsWith 'A-'", "serial contains '\"'",
            "room equals[c] 'KITCHEN'", "address.city == 'Köln' and address.zip >= 50000", "address == null",
            "room == serial",
            "celsius * 2 - 1 > 40", "-celsius < -20", "tags any (it startsWith 'd')",
            "!(room == 'bath' || room == 'hall')", "true",
        ] {
            try transcript.run("--output", "jsonl", "query", "Sensor", "--where", condition, "--fields", "id")
        }
        try transcript.run("--output", "jsonl", "query", "Seat", "--where", "!taken", "--sort", "-row,hall")
        try transcript.run("query", "Sensor", "--where", "celsius > 20", "--count")
        try transcript.expect("query-where")
    }

    @Test func `query in an order, in part`() throws {
        var transcript = Transcript(try Sample.tool())
        for order in ["celsius", "-celsius", "note,-id", "-id", "address.city", "-address.zip,room"] {
            try transcript.run("--output", "csv", "query", "Sensor", "--sort", order, "--fields", "id")
        }
        let shown = ["query", "Sensor", "--output", "csv", "--sort", "-room", "--fields", "id,room"]
        for part in [
            ["--limit", "1"], ["--limit", "0"], ["--offset", "1"], ["--limit", "1", "--offset", "2"],
            ["--offset", "9"],
        ] {
            try transcript.run(shown + part)
        }
        let token = "AQQ1jhrCney7AQEHa2l0Y2hlbgJzMQ"
        for part in [
            ["--limit", "1", "--after", token], ["--after", token], ["--after", "nonsense"],
            ["--after", token, "--offset", "1"], ["--after", token, "--where", "celsius > 0"],
        ] {
            try transcript.run(shown + part)
        }
        try transcript.run("query", "Sensor", "--limit", "2", "--count")
        try transcript.run("query", "Sensor", "--offset", "2", "--count")
        try transcript.expect("query-order")
    }

    @Test func `query in groups, and equal rows once`() throws {
        var transcript = Transcript(try Sample.tool())
        for form in ["table", "json", "jsonl", "csv"] {
            try transcript.run("--output", form, "query", "Sensor", "--group", "room")
            try transcript.run(
                "--output", form, "query", "Sensor", "--group", "room,address.city", "--aggregate",
                "count,sum:celsius,average:celsius,min:note,max:address.zip")
            try transcript.run("--output", form, "query", "Sensor", "--aggregate", "count,max:celsius,sum:address.zip")
            try transcript.run("--output", form, "query", "Sensor", "--fields", "room", "--distinct")
        }
        try transcript.run(
            "query", "Sensor", "--group", "room", "--sort", "-room", "--offset", "1", "--limit", "1", "--where", "true")
        try transcript.run("query", "Sensor", "--group", "address.city", "--aggregate", "count,sum:celsius,max:room")
        try transcript.run("query", "Sensor", "--aggregate", "count,min:celsius,sum:address.zip", "--where", "false")
        try transcript.run("query", "Sensor", "--group", "room", "--where", "false")
        try transcript.run("query", "Sensor", "--fields", "room", "--distinct", "--count")
        try transcript.run("query", "Sensor", "--fields", "room", "--distinct", "--limit", "1", "--sort", "-room")
        try transcript.run("query", "Sensor", "--fields", "room", "--distinct", "--explain")
        try transcript.run("query", "Sensor", "--where", "room == 'bath'", "--explain", "--analyze")
        for mistake in [
            ["--group", "rooom"], ["--group", "room", "--aggregate", "total"], ["--aggregate", "sum"],
            ["--aggregate", "sum:room"], ["--aggregate", "max:tags"], ["--aggregate", "count;"], ["--aggregate", ""],
            ["--group", "room", "--sort", "celsius"], ["--group", "room", "--count"],
            ["--aggregate", "count", "--fields", "id"], ["--distinct"], ["--analyze"],
            ["--group", "room", "--after", "x"],
        ] {
            try transcript.run(["query", "Sensor"] + mistake)
        }
        try transcript.expect("query-groups")
    }

    @Test func `query with mistakes`() throws {
        var transcript = Transcript(try Sample.tool())
        for condition in [
            "", "celcius > 20", "celsius > warm", "room == bath", "celsius > 20 && (room == 'bath'", "room = 'bath'",
            "address.ctiy == 'Köln'", "room == null", "tags == []", "room == 'bath", "address.zip == 3e9",
        ] {
            try transcript.run("query", "Sensor", "--where", condition)
        }
        try transcript.run("query", "Sensor", "--sort", "-celsius,tags")
        try transcript.run("query", "Sensor", "--sort", "-celcius")
        try transcript.run("query", "Sensor", "--fields", "id,serail")
        try transcript.run("query", "Sensor", "--fields", "id,,room")
        try transcript.run("query", "Sensor", "--limit", "-1")
        try transcript.run("query", "Sensor", "--limit", "few")
        try transcript.run("query", "Sensor", "--offset", "-1")
        try transcript.run("query", "Sensor", "--count", "--explain")
        try transcript.run("query", "Sensor", "--count", "--fields", "id")
        try transcript.run("query", "Senor")
        try transcript.expect("query-mistakes")
    }
}
