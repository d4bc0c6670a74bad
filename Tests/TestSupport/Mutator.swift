/// Makes inputs from a small corpus: changed, spliced from two of its members, and with words of the format.
package struct Mutator: Sendable {
    /// No input is longer, unless its member of the corpus is.
    private static let maximumByteCount = 1 << 17

    package let corpus: [[UInt8]]
    private let words: [[UInt8]]

    /// - Parameters:
    ///   - corpus: valid inputs, at least one.
    ///   - words: words of the format that a random change would not find.
    package init(corpus: [[UInt8]], words: [String] = []) {
        precondition(!corpus.isEmpty, "a mutator changes valid inputs")
        self.corpus = corpus
        self.words = words.map { Array($0.utf8) }
    }

    /// Creates a mutator of texts.
    package init(texts: [String], words: [String] = []) {
        self.init(corpus: texts.map { Array($0.utf8) }, words: words)
    }

    /// Returns another input.
    package func next(_ random: inout TestRandom) -> [UInt8] {
        // Noise finds little, so it is rare.
        if random.oneIn(50) { return (0..<random.below(80)).map { _ in UInt8(random.below(256)) } }
        var input = random.pick(corpus)
        if random.oneIn(6) {
            let other = random.pick(corpus)
            input = Array(input.prefix(random.below(input.count + 1)))
            input += other.dropFirst(random.below(other.count + 1))
        }
        // A single small change often leaves a valid text, and then tests more than the first lines of a parser.
        if random.oneIn(3) {
            random.pick([Mutation.word, .number]).apply(to: &input, &random)
            return input
        }
        let limit = max(Self.maximumByteCount, input.count)
        for _ in 0...random.below(random.oneIn(4) ? 8 : 2) {
            if !words.isEmpty, random.oneIn(3) {
                putWord(into: &input, &random)
            } else {
                random.pick(Mutation.allCases).apply(to: &input, &random)
            }
        }
        return Array(input.prefix(limit))
    }

    private func putWord(into input: inout [UInt8], _ random: inout TestRandom) {
        let place = random.below(input.count + 1)
        let removed = random.oneIn(2) ? random.below(min(12, input.count - place) + 1) : 0
        input.replaceSubrange(place..<place + removed, with: random.pick(words))
    }
}
