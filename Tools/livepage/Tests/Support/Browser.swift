import Foundation
import Glibc

/// A headless Chromium, controlled by the WebDriver protocol over HTTP and JSON.
final class Browser {
    private let driver: Program
    private let http: HTTP
    private let session: String

    /// The paths in Debian's packages `chromium` and `chromium-driver`.
    private static let programs = ["/usr/bin/chromium", "/usr/bin/chromedriver"]

    /// Whether this machine has them.
    static var isInstalled: Bool { programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) } }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a browser.
    init() throws {
        driver = try Program(Self.programs[1], ["--port=0"])
        http = HTTP(port: Int(try driver.next(/started successfully on port ([0-9]+)/)) ?? 0)
        var arguments = ["--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run"]
        // Chromium's sandbox does not work for root.
        if getuid() == 0 { arguments.append("--no-sandbox") }
        let options: [String: Any] = ["binary": Self.programs[0], "args": arguments]
        let answer = try Self.call(
            http, "POST", "/session", ["capabilities": ["alwaysMatch": ["goog:chromeOptions": options]]])
        guard let session = (answer as? [String: Any])?["sessionId"] as? String else {
            throw Failure(description: "no session: \(String(describing: answer))")
        }
        self.session = session
    }

    deinit {
        _ = try? Self.call(http, "DELETE", "/session/\(session)")
        driver.kill()
        _ = try? driver.wait()
    }

    /// Opens an address in the current tab.
    func open(_ address: String) throws { try call("POST", "/url", ["url": address]) }

    /// Returns the result of a script.
    func evaluate(_ script: String) throws -> String {
        "\(try call("POST", "/execute/sync", ["script": script, "args": [Any]()]) ?? "nothing")"
    }

    /// Waits until a script returns a value.
    func wait(_ script: String, for value: String) throws {
        var last = ""
        do {
            try TestRun.wait("a page that shows \(value)") {
                last = try evaluate(script)
                return last == value
            }
        } catch let error as TooLate {
            throw TooLate(what: "\(error.what); it shows \(last)")
        }
    }

    /// The current tab.
    var tab: String { get throws { "\(try call("GET", "/window") ?? "")" } }

    /// Opens another tab. It becomes the current one only with ``select(_:)``.
    func openTab() throws -> String {
        let answer = try call("POST", "/window/new", ["type": "tab"]) as? [String: Any]
        return "\(answer?["handle"] ?? "")"
    }

    /// Makes a tab the current one.
    func select(_ tab: String) throws { try call("POST", "/window", ["handle": tab]) }

    /// Closes the current tab.
    func closeTab() throws { try call("DELETE", "/window") }

    /// Types into the element that a CSS selector finds.
    func type(_ text: String, into selector: String) throws {
        try call("POST", "/element/\(find(selector))/value", ["text": text])
    }

    /// Clears the field that a CSS selector finds.
    func clear(_ selector: String) throws { try call("POST", "/element/\(find(selector))/clear", [:]) }

    /// Clicks the element that a CSS selector finds.
    func click(_ selector: String) throws { try call("POST", "/element/\(find(selector))/click", [:]) }

    private func find(_ selector: String) throws -> String {
        let answer = try call("POST", "/element", ["using": "css selector", "value": selector]) as? [String: String]
        guard let element = answer?.values.first else { throw Failure(description: "there is no \(selector)") }
        return element
    }

    @discardableResult
    private func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any? {
        try Self.call(http, method, "/session/\(session)\(path)", body)
    }

    private static func call(
        _ http: HTTP, _ method: String, _ path: String, _ body: [String: Any]? = nil
    ) throws -> Any? {
        let text =
            try body.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) } ?? ""
        let answer = try http.send(method, path, ["Content-Type: application/json"], text)
        let value = (try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])?["value"]
        guard answer.status == 200 else {
            throw Failure(description: "\(method) \(path): \(answer.status) \(answer.body.prefix(400))")
        }
        return value
    }
}
