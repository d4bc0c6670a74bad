import LMDB
import Testing

@Suite struct XXH64Tests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { unsafe XXH64.hash(bytes.span.bytes, seed: seed) }

    @Test(
        arguments: [
            ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B), ("abc", 0, 0x44BC_2CF5_AD77_0999),
            ("abcd", 0, 0xDE03_27B0_D25D_92CC),
            ("xxhash", 0, 0x32DD_3895_2C4B_C720), ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
            ("I want an unsigned 64-bit seed!", 0, 0xD4CB_0A70_A2B8_C7C1),
            ("I want an unsigned 64-bit seed!", 1, 0xCE50_87F1_2470_D961),
        ] as [(String, UInt64, UInt64)])
    func `known texts have their published hashes`(text: String, seed: UInt64, expected: UInt64) {
        #expect(hash(Array(text.utf8), seed: seed) == expected)
    }

    /// The sanity checks of xxHash's `xxhsum`, over a buffer generated as its specification describes.
    @Test(
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (0, 2_654_435_761, 0xAC75_FDA2_929B_17EF), (1, 0, 0x4FCE_394C_C889_52D8),
            (1, 2_654_435_761, 0x7398_40CB_819F_A723), (14, 0, 0xCFFA_8DB8_81BC_3A3D),
            (14, 2_654_435_761, 0x5B96_1158_5EFC_C9CB), (101, 0, 0x0EAB_5433_84F8_78AD),
            (101, 2_654_435_761, 0xCAA6_5939_306F_1E21),
        ] as [(Int, UInt64, UInt64)])
    func `the sanity checks of the reference implementation hold`(count: Int, seed: UInt64, expected: UInt64) {
        var state: UInt32 = 2_654_435_761
        var bytes: [UInt8] = []
        for _ in 0..<count {
            bytes.append(UInt8(state >> 24))
            state = state &* state
        }
        #expect(hash(bytes, seed: seed) == expected)
    }

    @Test func `every length and every bit counts`() {
        var seen: Set<UInt64> = []
        for count in 0..<100 {
            var bytes = Array(repeating: UInt8(0), count: count)
            #expect(seen.insert(hash(bytes)).inserted)
            for bit in 0..<count * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(seen.insert(hash(bytes)).inserted)
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        }
    }
}
