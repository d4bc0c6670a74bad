import StoreEngine
import TestSupport
import Testing

@Suite struct ElementMatchTests {
    private static func places(_ new: String, among old: String) -> [Int?] {
        ElementMatch.indexes(of: new.utf8.map { [$0] }, among: old.utf8.map { [$0] })
    }

    @Test(
        arguments: [
            ("abc", "abc", [0, 1, 2]),
            ("", "abc", []),
            ("abc", "", [nil, nil, nil]),
            // Elements changed at the same index.
            ("aXc", "abc", [0, 1, 2]),
            ("XYZ", "abc", [0, 1, 2]),
            // Elements inserted and removed.
            ("Xabc", "abc", [nil, 0, 1, 2]),
            ("abXc", "abc", [0, 1, nil, 2]),
            ("ac", "abc", [0, 2]),
            // An element changed, and another inserted or removed next to it.
            ("aXcY", "abc", [0, 1, 2, nil]),
            ("YaXc", "abc", [nil, 0, 1, 2]),
            ("aX", "abc", [0, 1]),
            // Elements moved, and changed next to a moved element.
            ("cab", "abc", [2, 0, 1]),
            ("cXa", "abc", [2, nil, 0]),
            ("aab", "aba", [0, 2, 1]),
            // Equal elements.
            ("aa", "a", [0, nil]),
            ("a", "aa", [0]),
        ] as [(String, String, [Int?])])
    func `an element is the one that equals it, or else the one in its place`(new: String, old: String, places: [Int?])
    {
        #expect(Self.places(new, among: old) == places)
    }

    @Test func `no element is two, and each that is still there is itself`() {
        var random = TestRandom(seed: 7)
        for _ in 0..<2_000 {
            let old = String((0..<random.below(6)).map { _ in random.pick(["a", "b", "c"] as [Character]) })
            let new = String((0..<random.below(6)).map { _ in random.pick(["a", "b", "c", "d"] as [Character]) })
            let places = Self.places(new, among: old)
            let known = places.compactMap { $0 }
            #expect(Set(known).count == known.count, "\(new) among \(old): \(places)")
            let (letters, before) = (Array(new), Array(old))
            for letter in Set(letters) {
                let equal = letters.indices.count { place in
                    letters[place] == letter && places[place].map { before[$0] } == letter
                }
                let wanted = min(letters.count { $0 == letter }, before.count { $0 == letter })
                #expect(equal == wanted, "\(letter) in \(new) among \(old): \(places)")
            }
        }
    }
}
