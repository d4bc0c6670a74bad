import Foundation

/// A compiled test of a text's UTF-8.
struct TextMatcher: Sendable {
    let test: TextTest
    let options: TextOptions
    /// The text to search for, folded by the options.
    private let pattern: [UInt8]
    private let isASCII: Bool

    init(_ test: TextTest, _ pattern: String, _ options: TextOptions) {
        self.test = test
        self.options = options
        self.pattern = Array(TextMatcher.folded(pattern, options).utf8)
        isASCII = self.pattern.allSatisfy { $0 < 0x80 }
    }

    /// Whether a text passes the test.
    func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe matches(bytes.span.bytes)
    }

    /// Whether the UTF-8 text in `bytes` passes the test.
    func matches(_ bytes: RawSpan) -> Bool {
        if options.isEmpty { return unsafe matches(bytes, pattern.span.bytes) }
        if options == .caseInsensitive, isASCII, bytes.isASCII { return matchesASCIIIgnoringCase(bytes) }
        let text = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        let folded = Array(TextMatcher.folded(text, options).utf8)
        return unsafe matches(folded.span.bytes, pattern.span.bytes)
    }

    private static func folded(_ text: String, _ options: TextOptions) -> String {
        if options.isEmpty { return text }
        var compare: String.CompareOptions = []
        if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
        return text.folding(options: compare, locale: nil)
    }

    private func matches(_ text: RawSpan, _ pattern: RawSpan) -> Bool {
        guard pattern.byteCount <= text.byteCount else { return false }
        switch test {
        case .equals: return text.isEqual(to: pattern)
        case .startsWith: return text.extracting(first: pattern.byteCount).isEqual(to: pattern)
        case .endsWith: return text.extracting(last: pattern.byteCount).isEqual(to: pattern)
        case .contains:
            return unsafe text.withUnsafeBytes { text in
                unsafe pattern.withUnsafeBytes { pattern in unsafe TextMatcher.contains(text, pattern) }
            }
        }
    }

    // The C library's search for a byte is vectorized. `memmem` is not imported.
    private static func contains(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        guard pattern.count > 0, var start = text.baseAddress, let wanted = pattern.baseAddress else {
            return true
        }
        let first = Int32(unsafe pattern[0])
        var room = text.count - pattern.count + 1
        while room > 0, let found = unsafe memchr(start, first, room) {
            if unsafe memcmp(found, wanted, pattern.count) == 0 { return true }
            let next = unsafe UnsafeRawPointer(found) + 1
            room -= unsafe next - start
            unsafe start = next
        }
        return false
    }

    /// A fast path: most texts are ASCII, and folding an ASCII letter sets one bit.
    private func matchesASCIIIgnoringCase(_ text: RawSpan) -> Bool {
        let room = text.byteCount - pattern.count
        guard room >= 0 else { return false }
        switch test {
        case .equals: return room == 0 && isFolded(text, at: 0)
        case .startsWith: return isFolded(text, at: 0)
        case .endsWith: return isFolded(text, at: room)
        case .contains:
            for start in 0...room where isFolded(text, at: start) { return true }
            return false
        }
    }

    private func isFolded(_ text: RawSpan, at start: Int) -> Bool {
        for (offset, wanted) in pattern.enumerated() {
            var byte = unsafe text.unsafeLoadUnaligned(fromByteOffset: start + offset, as: UInt8.self)
            if byte &- 65 < 26 { byte |= 0x20 }
            if byte != wanted { return false }
        }
        return true
    }
}
