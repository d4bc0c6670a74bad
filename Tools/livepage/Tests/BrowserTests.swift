import Foundation
@testable import Livepage
import ModelStore
import Testing

/// The page in a real browser.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: Browser.isInstalled,
        "there is no Chromium; apt-get install chromium chromium-driver, as Tools/livepage/test does"))
struct BrowserTests {
    /// Returns a script that reads the temperature of a sensor in the table.
    private static func cell(_ sensor: String) -> String {
        """
        return [...document.querySelectorAll("#readings tbody tr")]
            .filter(row => row.cells[0].textContent === "\(sensor)").map(row => row.cells[2].textContent).join()
        """
    }

    private static let rowCount = "return document.querySelectorAll('#readings tbody tr').length"

    @Test func `a page shows rows and changes by itself, and a closed tab leaves nothing`() throws {
        let service = try Service()
        let browser = try Browser()
        // Another tab stays open, and keeps the browser running.
        let other = try browser.openTab()
        let address = "http://127.0.0.1:\(service.port)/"
        try browser.open(address)
        try browser.wait(Self.rowCount, for: "12")
        try browser.wait(Self.cell("hall-1"), for: "19.5")
        #expect(try service.connections().count == 2)

        // Another program makes a change, then a form of the page itself. The page must not be reloaded.
        _ = try browser.evaluate("window.stays = 1; return 1")
        let store = try service.openStore()
        try store.write { try $0.update(Reading.self, id: "hall-1") { $0.celsius = 28.25 } }
        try browser.wait(Self.cell("hall-1"), for: "28.3")
        try store.write { _ = try $0.delete(Reading.self, id: "attic-2") }
        try browser.wait(Self.rowCount, for: "11")
        try store.write { try $0.insert(Reading(sensor: "attic-0", room: "attic", celsius: 1)) }
        store.close()
        try browser.wait(Self.cell("attic-0"), for: "1.0")
        #expect(try browser.evaluate("return document.querySelector('#readings tbody td').textContent") == "attic-0")
        try browser.type("hall-2", into: "form[action='/readings'] input[name=sensor]")
        try browser.type("33", into: "form[action='/readings'] input[name=celsius]")
        try browser.click("form[action='/readings'] button")
        try browser.wait(Self.cell("hall-2"), for: "33.0")
        #expect(try browser.evaluate("return window.stays") == "1")

        try browser.closeTab()
        try browser.select(other)
        let report = try service.waitUntilEmpty()
        #expect(report.leaks.isEmpty && report.scopes.map(\.path) == ["livepage"])
        #expect(service.notices == [])
    }

    @Test func `a page that looks into a room goes on after the service was away`() throws {
        let service = try Service()
        let browser = try Browser()
        try browser.open("http://127.0.0.1:\(service.port)/?room=kitchen")
        try browser.wait(Self.rowCount, for: "3")
        let title = #"return document.getElementById("title").textContent"#
        try browser.wait(title, for: "Kitchen")
        #expect(try service.http.post("/rooms", "room=kitchen&name=Cuisine").status == 204)
        try browser.wait(title, for: "Cuisine")

        // For a while, no service answers at the page's address. Then the service runs on the same store again.
        try service.restart {
            let store = try service.openStore()
            defer { store.close() }
            try store.write { try $0.update(Reading.self, id: "kitchen-3") { $0.celsius = 40 } }
        }
        try browser.wait(Self.cell("kitchen-3"), for: "40.0")
        try browser.wait(Self.rowCount, for: "3")
        try browser.open("about:blank")
        _ = try service.waitUntilEmpty()
        #expect(service.notices == [])
    }
}
