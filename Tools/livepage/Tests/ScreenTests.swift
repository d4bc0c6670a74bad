@testable import Livepage
import ModelStoreEvents
import Testing

/// Tests how the elements of components become a page, and patches of it.
@Suite struct ScreenTests {
    private static func fragment(_ id: String, _ html: HTML) -> Fragment {
        Fragment(id: id, html: html, actions: [:])
    }

    private static func list(_ first: String, _ second: String?, note: String = "") -> Screen {
        var screen = Screen()
        let ids = second == nil ? ["one"] : ["one", "two"]
        screen.show(
            [
                fragment(Screen.root, .element("main", [:], .fragment("list"), .fragment("note"))),
                fragment("list", .node(name: "ul", attributes: [:], content: ids.map { .fragment($0) })),
                fragment("one", .element("li", [:], .text(first))),
                fragment("note", .element("p", [:], .text(note))),
            ] + (second.map { [fragment("two", .element("li", [:], .text($0)))] } ?? []))
        return screen
    }

    @Test func `texts and attributes are escaped`() {
        var page = ""
        // A combining mark and the quotation mark before it form one character.
        HTML.element("b", ["title": "\"\u{301} onload='x'"], "a < b & \("<i>")").write(to: &page) { _ in nil }
        #expect(page == "<b title=\"&quot;\u{301} onload=&#39;x&#39;\">a &lt; b &amp; &lt;i&gt;</b>")
    }

    @Test func `a page has each fragment in its place, with its id`() {
        #expect(
            Self.list("a", "b").html
                == #"<main id="board"><ul id="list"><li id="one">a</li><li id="two">b</li></ul><p id="note"></p></main>"#
        )
    }

    @Test func `patches name only the fragments that changed`() {
        let old = Self.list("a", "b")
        #expect(Self.list("a", "b").patches(since: old) == [])
        #expect(Self.list("a", "c").patches(since: old) == [Patch(id: "two", html: #"<li id="two">c</li>"#)])
        #expect(Self.list("c", "b", note: "x").patches(since: old).map(\.id) == ["one", "note"])
    }

    @Test func `a patch of a fragment brings those within it`() {
        let patches = Self.list("c", nil).patches(since: Self.list("a", "b"))
        #expect(patches == [Patch(id: "list", html: #"<ul id="list"><li id="one">c</li></ul>"#)])
    }

    @Test func `a fragment that comes later patches the one around it`() {
        let around = Self.fragment(Screen.root, .element("main", [:], .fragment("late")))
        var screen = Screen()
        screen.show([around])
        let old = screen
        #expect(old.html == #"<main id="board"></main>"#)
        screen.show([around, Self.fragment("late", .element("p"))])
        #expect(screen.patches(since: old) == [Patch(id: "board", html: #"<main id="board"><p id="late"></p></main>"#)])
    }

    @Test func `the last event of a change carries the version`() throws {
        let old = Self.list("a", "b")
        var new = old
        new.show(title: "two\nlines")
        #expect(try new.events(since: old).map(\.id) == ["\(old.version + 1)"])
        #expect(try new.events(since: nil).map(\.name) == ["title", "patch"])
        new.show(title: "two\nlines")
        #expect(new.version == old.version + 1)
        #expect(try new.events(since: new).isEmpty)
    }
}
