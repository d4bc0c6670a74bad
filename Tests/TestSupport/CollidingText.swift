/// Texts of 448 bytes whose keys have equal hashes under the public seeds: XXH64 with the seeds 0 and 0x9E3779B97F4A7C15.
///
/// XXH64 keeps four lanes of 8 bytes apart until the end of its input. In each block of 64 bytes below, each lane has two forms:
/// the second half of the block undoes the difference that its first half makes, under both seeds. So the choices are free.
package enum CollidingText {
    private static let blocks = [
        (
            #"[jmudSqX4F%m-cvaN<2G6B|tF,5/D4nsgm4J^s1KZkrpfk.>pEzWUp{:Gk8tu}3^"#,
            #"[jmudC,-4F%m-S16N<2G6Bl/F,5/D$)Hg%:J'MpJZ#xp/Em=pE2]U9UyG#>t>Wr]"#
        ),
        (
            #"5cem~Hxo-/aT5c~Sh///:|:8.2SO00Mx?shApK:X[ySs|m-Eb'$m.9_p'FksrZr*"#,
            #"5cem~83D-/aT5S9(h///:|:(.2SO00=3?+nA9%yW[1YsEGlDb'$%49(J'F#yr#Li"#
        ),
        (
            #"8eR75e1{4M>r)VMu#qV$e9[sqtf{3xzs%YkupKZIc3xY`[m6An3yZP|~QqZ;yK1d"#,
            #"8eR75e1k4M>r)V=0#qV$e9[cqtf{3h5H%Yk-vK##c30_`$GuAn31`PEXQ)`;B%pc"#
        ),
    ]

    /// The number of texts.
    package static let count = 4_096

    /// Returns one of the texts.
    package static func text(_ number: Int) -> String {
        var text = String(repeating: "a", count: 256)
        for (blockNumber, block) in blocks.enumerated() {
            let forms = [Array(block.0.utf8), Array(block.1.utf8)]
            for lane in 0..<8 {
                // A lane and its counterpart in the second half.
                let form = forms[number >> (4 * blockNumber + lane % 4) & 1]
                text += String(decoding: form[8 * lane..<8 * lane + 8], as: UTF8.self)
            }
        }
        return text
    }
}
