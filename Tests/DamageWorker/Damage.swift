import TestSupport

/// A change to the bytes of a file, as broken disks, memory and programs make them.
enum Damage: String, CaseIterable {
    case bits, bytes, structure, zeroedPages, swappedPages, randomPages, shifted, cut

    /// Changes a file with pages of 4,096 bytes.
    func apply(to file: inout [UInt8], _ random: inout TestRandom) {
        let pages = file.count / Self.pageSize
        switch self {
        case .bits: Mutation.bits.apply(to: &file, &random)
        case .bytes: Mutation.bytes.apply(to: &file, &random)
        case .structure:
            // Headers and lists of entries, and the meta pages, where a change matters most.
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let page =
                    random.chance(20)
                    ? Int.random(in: 0..<2, using: &random) : Int.random(in: 0..<pages, using: &random)
                let offset = Int.random(in: 0..<(page < 2 ? 152 : 64), using: &random)
                let old = file[page * Self.pageSize + offset]
                let new =
                    random.chance(50)
                    ? old ^ 1 << UInt8.random(in: 0..<8, using: &random) : UInt8.random(in: 0...255, using: &random)
                file[page * Self.pageSize + offset] = new
            }
        case .zeroedPages:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let page = Int.random(in: 0..<pages, using: &random)
                file.replaceSubrange(Self.range(page), with: repeatElement(0, count: Self.pageSize))
            }
        case .swappedPages:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let (first, second) = (
                    Int.random(in: 0..<pages, using: &random), Int.random(in: 0..<pages, using: &random)
                )
                let bytes = Array(file[Self.range(first)])
                file.replaceSubrange(Self.range(first), with: Array(file[Self.range(second)]))
                // An old state of a page in the place of the new one is as likely as an exchange.
                if random.chance(50) { file.replaceSubrange(Self.range(second), with: bytes) }
                // With the right number, only the content is wrong.
                if random.chance(50) { Self.setNumber(first, &file) }
            }
        case .randomPages:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let page = Int.random(in: 0..<pages, using: &random)
                let keepsHeader = random.chance(50)
                for index in Self.range(page).dropFirst(keepsHeader ? 16 : 0) {
                    file[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
        case .shifted: random.pick([Mutation.insertion, .deletion]).apply(to: &file, &random)
        case .cut: Mutation.cut.apply(to: &file, &random)
        }
    }

    private static let pageSize = 4_096

    private static func range(_ page: Int) -> Range<Int> { page * pageSize..<(page + 1) * pageSize }

    private static func setNumber(_ page: Int, _ file: inout [UInt8]) {
        for index in 0..<8 { file[page * pageSize + index] = UInt8(truncatingIfNeeded: page >> (8 * index)) }
    }
}
