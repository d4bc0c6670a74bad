#if ServerSentEvents
import ModelStoreEvents
import NIOCore
import Testing

/// The bytes of events, according to the HTML standard.
@Suite struct ServerSentEventTests {
    private static func bytes(_ event: ServerSentEvent) -> [UInt8] {
        var buffer = ByteBuffer()
        event.write(to: &buffer)
        return Array(buffer.readableBytesView)
    }

    @Test(arguments: [
        (ServerSentEvent("update", data: "{}", id: "7"), "event: update\nid: 7\ndata: {}\n\n"),
        (ServerSentEvent(data: "x"), "data: x\n\n"),
        (ServerSentEvent(retryDelay: .seconds(3)), "retry: 3000\n\n"),
        (ServerSentEvent(retryDelay: .milliseconds(-1)), "retry: 0\n\n"),
        (ServerSentEvent(data: "", id: ""), "id: \ndata: \n\n"),
        (ServerSentEvent(), "\n"),
    ]) func `each field is a line and an empty line ends the event`(_ event: ServerSentEvent, _ text: String) {
        #expect(Self.bytes(event) == Array(text.utf8))
    }

    @Test(arguments: [
        ("a\nb", "data: a\ndata: b\n\n"), ("a\r\nb", "data: a\ndata: b\n\n"), ("a\rb", "data: a\ndata: b\n\n"),
        ("\n", "data: \ndata: \n\n"), ("a\n\r\n\rb\n", "data: a\ndata: \ndata: \ndata: b\ndata: \n\n"),
        (" a: b", "data:  a: b\n\n"), (":", "data: :\n\n"), ("a\n\u{301}b", "data: a\ndata: \u{301}b\n\n"),
        ("a\u{2028}\u{85}\u{B}\u{C}b", "data: a\u{2028}\u{85}\u{B}\u{C}b\n\n"),
    ]) func `each line of the data has a field of its own, whatever ends it`(_ data: String, _ text: String) {
        #expect(Self.bytes(ServerSentEvent(data: data)) == Array(text.utf8))
    }

    @Test func `text is written as UTF-8 without a mark`() {
        let bytes = Self.bytes(ServerSentEvent(data: "é\u{0}😀"))
        #expect(bytes == Array("data: ".utf8) + [0xC3, 0xA9, 0, 0xF0, 0x9F, 0x98, 0x80, 10, 10])
    }

    @Test func `a name or an id cannot begin another field`() {
        let event = ServerSentEvent("a\ndata: b", data: "c", id: "1\r\nevent: x\u{0}\r2")
        #expect(Self.bytes(event) == Array("event: adata: b\nid: 1event: x2\ndata: c\n\n".utf8))
    }

    @Test func `what is there in the buffer stays`() {
        var buffer = ByteBuffer(string: ":\n\n")
        ServerSentEvent(data: "x").write(to: &buffer)
        #expect(String(buffer: buffer) == ":\n\ndata: x\n\n")
    }
}
#endif
