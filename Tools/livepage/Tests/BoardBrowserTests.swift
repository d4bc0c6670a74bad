import Foundation
@testable import Livepage
import ModelStore
import Testing

/// The board in two tabs of a real browser.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: Browser.isInstalled,
        "there is no Chromium; apt-get install chromium chromium-driver, as Tools/livepage/test does"))
struct BoardBrowserTests {
    private static let rowCount = "return document.querySelectorAll('#readings tr').length"
    private static let title = "return document.title"
    private static let limit = "return document.querySelector('#alarm input[name=limit]').value"
    private static let invalidCount = "return document.querySelectorAll('#alarm [aria-invalid]').length"

    /// Returns the temperature in the row of a sensor, with a mark for an alarm.
    private static func cell(_ sensor: String) -> String {
        """
        const row = document.getElementById("reading-\(sensor)");
        return row && row.cells[2].textContent + (row.matches(".alarm") ? "!" : "")
        """
    }

    private func press(_ browser: Browser, _ action: String, in fragment: String) throws {
        try browser.click("#\(fragment) button[value=\(action)]")
    }

    @Test func `two tabs share the records and the alarm, and each has a state of its own`() throws {
        let service = try Service()
        let browser = try Browser()
        let address = "http://127.0.0.1:\(service.port)/board"
        // The browser ends with its last tab, so the first one stays open.
        let (blank, other, own) = (try browser.tab, try browser.openTab(), try browser.openTab())
        for tab in [other, own] {
            try browser.select(tab)
            try browser.open(address)
            try browser.wait(Self.rowCount, for: "12")
            #expect(try browser.evaluate(Self.title) == "12 readings")
        }
        // Patches of other elements must keep this element, and the page itself.
        _ = try browser.evaluate("document.getElementById('reading-hall-2').stays = window.stays = 1; return 1")

        // Changes a record, by this tab's form.
        try press(browser, "edit", in: "reading-hall-1")
        try browser.wait("return document.querySelectorAll('#readings input[name=celsius]').length", for: "1")
        try browser.clear("#reading-hall-1 input[name=celsius]")
        try browser.type("41.5", into: "#reading-hall-1 input[name=celsius]")
        try press(browser, "save", in: "reading-hall-1")
        try browser.wait(Self.cell("hall-1"), for: "41.5 °C!")
        #expect(try browser.evaluate("return document.getElementById('reading-hall-2').stays") == "1")
        // Sets a filter, a unit and a draft of this tab alone.
        try browser.type("hall", into: "#filter input[name=text]")
        try press(browser, "apply", in: "filter")
        try browser.wait(Self.title, for: "3 readings")
        try press(browser, "toggle", in: "unit")
        try browser.wait(Self.cell("hall-1"), for: "106.7 °F!")
        try browser.clear("#alarm input[name=limit]")
        try browser.type("warm", into: "#alarm input[name=limit]")
        try press(browser, "set", in: "alarm")
        try browser.wait(Self.invalidCount, for: "1")

        try browser.select(other)
        try browser.wait(Self.cell("hall-1"), for: "41.5 °C!")
        #expect(try browser.evaluate(Self.title) == "12 readings")
        #expect(try browser.evaluate(Self.rowCount) == "12")
        #expect(try browser.evaluate(Self.limit) == "25.0")
        #expect(try browser.evaluate(Self.invalidCount) == "0")
        #expect(
            try browser.evaluate("return document.querySelectorAll('#readings input[name=celsius]').length") == "0")
        // Sends an action on the state that all tabs share.
        try browser.clear("#alarm input[name=limit]")
        try browser.type("42", into: "#alarm input[name=limit]")
        try press(browser, "set", in: "alarm")
        try browser.wait(Self.cell("hall-1"), for: "41.5 °C")

        try browser.select(own)
        try browser.wait(Self.cell("hall-1"), for: "106.7 °F")
        try browser.wait(Self.limit, for: "42.0")
        #expect(try browser.evaluate(Self.title) == "3 readings")
        #expect(try browser.evaluate("return window.stays") == "1")

        #expect(try service.http.get("/metrics").body.contains("\nlivepage_sessions 2\n"))
        for tab in [own, other] {
            try browser.select(tab)
            try browser.closeTab()
        }
        try browser.select(blank)
        #expect(try service.waitUntilEmpty().leaks.isEmpty)
        #expect(try service.http.get("/metrics").body.contains("\nlivepage_sessions 0\n"))
        #expect(service.notices == [])
    }

    @Test func `a patch keeps the text that is being typed`() throws {
        let service = try Service()
        let browser = try Browser()
        let field = "#alarm input[name=limit]"
        try browser.open("http://127.0.0.1:\(service.port)/board")
        try browser.clear(field)
        try browser.type("3", into: field)
        // The session's alarm form changes through a request that the page did not send.
        let base = try browser.evaluate("return document.querySelector('base').getAttribute('href')")
        #expect(try service.http.post("\(base)actions", "_fragment=alarm&_action=mute").status == 303)
        try browser.wait("return document.querySelector('#alarm button[value=mute]').textContent", for: "Unmute")
        #expect(try browser.evaluate("return document.activeElement.name + document.activeElement.value") == "limit3")
        try browser.type("1", into: field)
        #expect(try browser.evaluate(Self.limit) == "31")
    }

    @Test func `a change of another program shows, and a page goes on after the service was away`() throws {
        let service = try Service()
        let browser = try Browser()
        try browser.open("http://127.0.0.1:\(service.port)/board")
        try browser.wait(Self.rowCount, for: "12")
        func change(_ body: (Store) throws -> Void) throws {
            let store = try service.openStore()
            defer { store.close() }
            try body(store)
        }
        try change { store in try store.write { _ = try $0.delete(Reading.self, id: "attic-2") } }
        try browser.wait(Self.title, for: "11 readings")
        // By then the old session is gone, so the page reloads itself.
        try service.restart {
            try change { store in
                try store.write { _ = try $0.update(Reading.self, id: "hall-3") { $0.celsius = 31 } }
            }
        }
        try browser.wait(Self.cell("hall-3"), for: "31.0 °C!")
        // The service has restored the deleted reading of the demonstration.
        #expect(try browser.evaluate(Self.title) == "12 readings")
        try browser.open("about:blank")
        _ = try service.waitUntilEmpty()
        #expect(service.notices == [])
    }
}
