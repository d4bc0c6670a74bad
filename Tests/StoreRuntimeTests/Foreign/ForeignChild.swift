import ChildPrograms
import StoreEngine
import StoreRuntime
import TestSupport

/// A child process that commits to stores on request.
struct ForeignChild {
    private let process: ChildProcess

    init() throws { process = try ChildProcess(BuiltProgram.path("CrashWorker"), ["obey"]) }

    func open(_ path: String) throws { try order(["open": .string(path)], "open") }

    func close() throws { try order(["close": true], "closed") }

    private func order(_ order: JSONValue, _ expected: String) throws {
        process.send(JSONWriter.text(of: order))
        let answer = process.nextLine()
        guard answer == expected else { throw Mismatch("the child says \(answer ?? "nothing"), not \(expected)") }
    }

    /// Sends operations for the child to run in one write. Does not wait for the outcome: ``answer()`` does.
    func send(_ operations: [DynamicOperation], _ types: [RecordType]) {
        process.send(JSONWriter.text(of: ["write": .array(operations.map { $0.json(types) })]))
    }

    /// Asks the child to add a record type.
    func sendDeclaration(_ name: String) { process.send(JSONWriter.text(of: ["declare": .string(name)])) }

    /// Asks the child to write as a program that does not know ModelStore.
    func sendIntrusion() { process.send(JSONWriter.text(of: ["intrude": true])) }

    /// Waits for the outcome of the oldest request that has no answer yet.
    ///
    /// - Returns: The position after that request; nil if the child refused it.
    func answer() throws -> Position? {
        guard let line = process.nextLine() else { throw Mismatch("the child is gone") }
        if line == "refused" { return nil }
        guard line.hasPrefix("at "), let position = Position(String(line.dropFirst(3))) else {
            throw Mismatch("the child says \(line)")
        }
        return position
    }
}

extension DynamicOperation {
    /// The operation in the form that ``ForeignChild`` sends.
    fileprivate func json(_ types: [RecordType]) -> JSONValue {
        switch self {
        case .put(let type, let record, let mode):
            let fields = types[type].fields
            return [
                "put": .number(JSONNumber(type)), "mode": .string("\(mode)"),
                "values": .array(zip(record.values, fields).map { $0.json(as: $1.type) }),
            ]
        case .delete(let type, let id):
            let fields = types[type].fieldsOfID
            return [
                "delete": .number(JSONNumber(type)), "id": .array(zip(id, fields).map { $0.json(as: $1.type) }),
            ]
        }
    }
}
