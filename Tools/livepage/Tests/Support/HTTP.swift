import Foundation

/// Sends single HTTP requests to a port of this machine.
struct HTTP {
    struct Answer {
        let status: Int
        let body: String
    }

    let port: Int

    func get(_ path: String) throws -> Answer { try send("GET", path) }

    /// Sends a form.
    func post(_ path: String, _ form: String, _ headers: [String] = []) throws -> Answer {
        try send("POST", path, headers + ["Content-Type: application/x-www-form-urlencoded"], form)
    }

    func send(_ method: String, _ path: String, _ headers: [String] = [], _ body: String = "") throws -> Answer {
        let socket = try Socket(port: port)
        try socket.send(
            Self.head(method, path, headers + ["Content-Length: \(body.utf8.count)", "Connection: close"]) + body)
        var received: [UInt8] = []
        while true {
            if let answer = Self.answer(received) { return answer }
            let bytes = try socket.receive(seconds: 60)
            guard !bytes.isEmpty else { throw TooLate(what: "the answer to \(method) \(path)") }
            received += bytes
        }
    }

    /// Returns the head of a request.
    static func head(_ method: String, _ path: String, _ headers: [String] = []) -> String {
        let host = headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: localhost"]
        return (["\(method) \(path) HTTP/1.1"] + host + headers).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Returns the answer, or nil if it is not complete.
    private static func answer(_ bytes: [UInt8]) -> Answer? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let length =
            head.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
        let status = head.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        let body = bytes[end.upperBound...]
        guard body.count >= length else { return nil }
        return Answer(status: status, body: String(decoding: body.prefix(length), as: UTF8.self))
    }
}
