import Testing

@testable import LMDB

@Suite struct SipHashTests {
    /// The key of the reference: the bytes 0 to 15.
    private let key = SipHash(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)

    /// From `vectors.h` of the authors' reference implementation, and the example of the paper: inputs are the bytes 0, 1, 2, ...
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (3, 0x8567_6696_d7fb_7e2d), (4, 0xcf27_94e0_2771_87b7), (5, 0x1876_5564_cd99_a68d),
            (6, 0xcbc9_466e_58fe_e3ce), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)])
    func `known bytes have their published checksums`(count: Int, expected: UInt64) {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(unsafe key.hash(bytes.span.bytes) == expected)
    }

    @Test func `another key gives another tag`() {
        let tags = Set((0..<1_000).map { _ in SipHash.random().tag })
        #expect(tags.count == 1_000)
    }
}
