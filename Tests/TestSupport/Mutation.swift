/// A change to an input, as broken disks, memory and programs make it, or a hostile client.
package enum Mutation: CaseIterable, Sendable {
    /// Flips up to 20 bits.
    case bits
    /// Overwrites up to 20 runs of up to 16 bytes.
    case bytes
    /// Sets a byte to a value at the end of a range.
    case extremeByte
    /// Overwrites 1, 2, 4 or 8 bytes with a number that lengths and offsets should not have.
    case length
    /// Inserts random bytes or zeros.
    case insertion
    /// Repeats a block, up to 300 times. Brackets nest deeply then.
    case repetition
    /// Removes a block.
    case deletion
    /// Exchanges two blocks.
    case swap
    /// Removes the rest.
    case cut
    /// Replaces a number in decimal digits.
    case number
    /// Replaces a word of letters, digits and underscores by another word of the input. Texts often stay valid.
    case word

    /// Changes `input`. An empty input may stay as it is.
    package func apply(to input: inout [UInt8], _ random: inout TestRandom) {
        guard !input.isEmpty else { return }
        switch self {
        case .bits:
            for _ in 0..<random.count(upTo: 20) { input[random.below(input.count)] ^= 1 << UInt8(random.below(8)) }
        case .bytes:
            for _ in 0..<random.count(upTo: 20) {
                for index in random.block(of: input, upTo: 16) { input[index] = UInt8(random.below(256)) }
            }
        case .extremeByte: input[random.below(input.count)] = random.pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
        case .length: Self.setLength(&input, &random)
        case .insertion:
            let isZero = random.oneIn(2)
            let bytes = (0..<random.count(upTo: 64)).map { _ in isZero ? 0 : UInt8(random.below(256)) }
            input.insert(contentsOf: bytes, at: random.below(input.count + 1))
        case .repetition:
            let block = input[random.block(of: input, upTo: 20)]
            let times = random.oneIn(8) ? random.below(300) : random.count(upTo: 3)
            let bytes = repeatElement(block, count: times).joined()
            input.insert(contentsOf: Array(bytes), at: random.below(input.count + 1))
        case .deletion: input.removeSubrange(random.block(of: input, upTo: 64))
        case .swap:
            let (first, second) = (random.block(of: input, upTo: 64), random.block(of: input, upTo: 64))
            let (early, late) = first.lowerBound < second.lowerBound ? (first, second) : (second, first)
            guard early.upperBound <= late.lowerBound else { return }
            let bytes = Array(input[early])
            input.replaceSubrange(late, with: bytes)
            input.replaceSubrange(early, with: Array(input[late.lowerBound..<late.lowerBound + bytes.count]))
        case .cut: input.removeSubrange(random.below(input.count + 1)...)
        case .number: Self.replaceNumber(&input, &random)
        case .word:
            guard let old = Self.word(of: input, &random), let new = Self.word(of: input, &random) else { return }
            input.replaceSubrange(old, with: Array(input[new]))
        }
    }

    private static func word(of input: [UInt8], _ random: inout TestRandom) -> Range<Int>? {
        let start = random.below(input.count)
        guard let first = input[start...].firstIndex(where: isPartOfWord) else { return nil }
        return first..<(input[first...].firstIndex { !isPartOfWord($0) } ?? input.endIndex)
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return byte == UInt8(ascii: "_") || scalar.isASCII && scalar.properties.isAlphabetic
            || (0x30...0x39).contains(byte)
    }

    private static func setLength(_ input: inout [UInt8], _ random: inout TestRandom) {
        let width = random.pick([1, 2, 4, 8])
        let place = random.below(input.count)
        let count = UInt64(input.count)
        let value = random.pick([
            0, 1, count, count &- 1, count + 1, UInt64(place), 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF,
            UInt64(Int64.max), .max, 1 << 40,
        ])
        let isBigEndian = random.oneIn(3)
        for index in 0..<width where place + index < input.count {
            let shift = 8 * (isBigEndian ? width - 1 - index : index)
            input[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(shift))
        }
    }

    private static func replaceNumber(_ input: inout [UInt8], _ random: inout TestRandom) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let start = random.below(input.count)
        guard let first = input[start...].firstIndex(where: digits.contains) else { return }
        let end = input[first...].firstIndex { !digits.contains($0) } ?? input.endIndex
        let number = random.pick([
            "0", "-1", "-0", "00", "1.5", "1e309", "127", "128", "255", "256", "32768", "65536", "2147483648",
            "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
            "18446744073709551616", String(repeating: "9", count: 400), "nan", "",
        ])
        input.replaceSubrange(first..<end, with: Array(number.utf8))
    }
}

extension TestRandom {
    /// Returns a number from 1 to `most`; half of the time 1 or 2.
    fileprivate mutating func count(upTo most: Int) -> Int { oneIn(2) ? 1 + below(min(2, most)) : 1 + below(most) }

    /// Returns a range of at least one of the indexes.
    fileprivate mutating func block(of input: [UInt8], upTo most: Int) -> Range<Int> {
        let start = below(input.count)
        return start..<min(start + count(upTo: most), input.count)
    }
}
