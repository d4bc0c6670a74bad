import Foundation
@testable import Livepage

/// A client of a stream of events. It keeps the rows in the way that the article on server-sent events describes.
final class EventClient {
    /// One event.
    struct Event: Equatable, CustomStringConvertible {
        var name: String
        var data: String

        var description: String { "\(name) \(data)" }
    }

    fileprivate struct Content: Decodable {
        struct Row: Decodable {
            let sensor: String
            let room: String
            let celsius: Double
        }

        var index: Int?
        var from: Int?
        var record: Row?
    }

    let socket: Socket
    private var chunks = ChunkDecoder()
    private var text = ""
    /// The id to send for continuing where this stream ended.
    private(set) var lastEventID: String?
    /// The readings at the last `ready`.
    private(set) var rows: [Reading] = []
    /// The name of the selected room.
    private(set) var room: String?

    /// Connects, and requests events.
    init(port: Int, _ path: String, lastEventID: String? = nil, receiveByteCount: Int32? = nil) throws {
        socket = try Socket(port: port, receiveByteCount: receiveByteCount)
        self.lastEventID = lastEventID
        try socket.send(HTTP.head("GET", path, lastEventID.map { ["Last-Event-ID: \($0)"] } ?? []))
    }

    /// Returns the events up to the next `ready`, and applies them to the rows. Room names that arrive in between are stored.
    @discardableResult
    func readStep(seconds: Double = 30) throws -> [Event] {
        let step = try readEvents(seconds: seconds)
        try apply(step)
        return step
    }

    /// Returns the events up to the next `ready` without applying them.
    func readEvents(seconds: Double = 30) throws -> [Event] {
        var step: [Event] = []
        while step.last?.name != "ready" {
            let event = try next(seconds)
            if event.name == "room" { room = event.data } else { step.append(event) }
        }
        return step
    }

    /// Reads until the rows meet a condition.
    func read(until holds: ([Reading]) -> Bool) throws {
        while !holds(rows) { try readStep() }
    }

    /// Reads until the room has a name.
    func readRoom(_ name: String) throws {
        while room != name {
            let event = try next(30)
            if event.name == "room" { room = event.data }
        }
    }

    /// Reads to the end of the stream.
    func readToEnd() throws {
        while try !socket.receive().isEmpty {}
    }

    private func next(_ seconds: Double) throws -> Event {
        while true {
            guard let end = text.firstRange(of: "\n\n") else {
                let bytes = try socket.receive(seconds: seconds)
                guard !bytes.isEmpty else { throw TooLate(what: "an event; the stream has ended") }
                text += String(decoding: chunks.decode(bytes), as: UTF8.self)
                continue
            }
            let fields = text[..<end.lowerBound].split(separator: "\n").map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: parts[0], value: parts[1].trimmingPrefix(" "))
            }
            text = String(text[end.upperBound...])
            func value(_ name: String) -> String? { fields.first { $0.name == name }.map { String($0.value) } }
            if let id = value("id") { lastEventID = id }
            if let data = value("data") { return Event(name: value("event") ?? "message", data: data) }
        }
    }

    private func apply(_ step: [Event]) throws {
        let contents = try step.map { event in
            (event.name, try JSONDecoder().decode(Content.self, from: Data(event.data.utf8)))
        }
        if step.contains(where: { $0.name == "reset" }) { rows = [] }
        let gone = contents.compactMap { name, content in name == "delete" ? content.index : content.from }
        for index in gone.sorted(by: >) { rows.remove(at: index) }
        let come = contents.filter { ["snapshot", "move", "insert"].contains($0.0) }
        for (_, content) in come.sorted(by: { $0.1.index ?? 0 < $1.1.index ?? 0 }) {
            if let index = content.index, let row = content.record { rows.insert(Reading(row), at: index) }
        }
        for case ("update", let content) in contents {
            if let index = content.index, let row = content.record { rows[index] = Reading(row) }
        }
    }
}

extension Reading {
    fileprivate init(_ row: EventClient.Content.Row) {
        self.init(sensor: row.sensor, room: row.room, celsius: row.celsius)
    }
}

/// Decodes a chunked body, and removes the head before it.
struct ChunkDecoder {
    private var pending: [UInt8] = []
    private var isInBody = false

    /// Returns the part of the body that is complete with these bytes.
    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        var result: [UInt8] = []
        if !isInBody {
            guard let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
            pending.removeSubrange(..<end.upperBound)
            isInBody = true
        }
        while let end = pending.firstRange(of: Array("\r\n".utf8)),
            let count = Int(String(decoding: pending[..<end.lowerBound], as: UTF8.self), radix: 16),
            pending.count >= end.upperBound + count + 2
        {
            result += pending[end.upperBound..<end.upperBound + count]
            pending.removeSubrange(..<(end.upperBound + count + 2))
        }
        return result
    }
}
