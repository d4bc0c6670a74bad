import StoreEngine

/// A message from the walking process to the watching one: one JSON object per line.
enum WalkMessage: Equatable {
    /// Something is wrong.
    case finding(kind: String, location: String, problem: String)
    /// A database that the walk did not reach, with its place in the report and the reason.
    case unchecked(database: String, location: String, problem: String)
    /// The number of entries that the walk has read, and the expected number.
    case progress(visited: Int, expected: Int)
    /// The name of a database.
    case database(String)
    /// The walk reached its end.
    case done(summary: String)
    /// The walk failed.
    case failed(CommandFailure)

    /// The message as a line.
    var line: String {
        let members: [JSONMember] =
            switch self {
            case .finding(let kind, let location, let problem):
                [
                    JSONMember("kind", .string(kind)), JSONMember("place", .string(location)),
                    JSONMember("problem", .string(problem)),
                ]
            case .unchecked(let database, let location, let problem):
                [
                    JSONMember("unchecked", .string(database)), JSONMember("place", .string(location)),
                    JSONMember("problem", .string(problem)),
                ]
            case .progress(let visited, let expected):
                [
                    JSONMember("visited", .number(JSONNumber(visited))),
                    JSONMember("expected", .number(JSONNumber(expected))),
                ]
            case .database(let name): [JSONMember("database", .string(name))]
            case .done(let summary): [JSONMember("done", .string(summary))]
            case .failed(let failure):
                [
                    JSONMember("status", .number(JSONNumber(Int(failure.status.rawValue)))),
                    JSONMember("message", .string(failure.message)),
                ]
            }
        return JSONWriter.text(of: .object(members)) + "\n"
    }

    /// Parses a line. Returns nil for a line that a crashing process cut short.
    init?(line: some StringProtocol) {
        guard let json = try? JSONReader.read(String(line)) else { return nil }
        if let location = json["place"]?.string, let problem = json["problem"]?.string, let kind = json["kind"]?.string
        {
            self = .finding(kind: kind, location: location, problem: problem)
        } else if let database = json["unchecked"]?.string, let location = json["place"]?.string,
            let problem = json["problem"]?.string
        {
            self = .unchecked(database: database, location: location, problem: problem)
        } else if let visited = json["visited"]?.number?.int64, let expected = json["expected"]?.number?.int64 {
            self = .progress(visited: Int(visited), expected: Int(expected))
        } else if let name = json["database"]?.string {
            self = .database(name)
        } else if let summary = json["done"]?.string {
            self = .done(summary: summary)
        } else if let number = json["status"]?.number?.int64, let message = json["message"]?.string,
            let status = Int32(exactly: number).flatMap(ExitStatus.init(rawValue:))
        {
            self = .failed(CommandFailure(status, message))
        } else {
            return nil
        }
    }
}
