import Foundation
import Testing

/// Checks that articles and comments are plain technical English.
@Suite("Prose") struct ProseTests {
    private static func articles() throws -> [Prose] {
        try SourceTree.articles().flatMap { Prose.ofArticle($0, try SourceTree.text($0)) }
    }

    private static func comments() throws -> [Prose] { try SourceTree.all().flatMap(Prose.ofComments) }

    private static func expectPlain(_ prose: [Prose]) {
        let odd = prose.flatMap(\.oddForms)
        let wordCount = prose.reduce(0) { $0 + $1.wordCount }
        #expect(wordCount > 10_000)
        #expect(odd.count * 2_000 <= wordCount, "\(odd.joined(separator: "\n"))")
    }

    @Test func `Articles have at most one odd form in 2,000 words`() throws { Self.expectPlain(try Self.articles()) }

    @Test func `Comments have at most one odd form in 2,000 words`() throws { Self.expectPlain(try Self.comments()) }

    @Test func `No sentence of an article has more than 35 words, and one in a hundred at most has more than 30`()
        throws
    {
        var (sentences, long, tooLong) = (0, [String](), [String]())
        for prose in try Self.articles() {
            for sentence in prose.sentences {
                let count = sentence.split(separator: " ").count
                sentences += 1
                if count > 30 { long.append("\(prose.location): \(count) words: \(sentence)") }
                if count > 35 { tooLong.append("\(prose.location): \(count) words: \(sentence)") }
            }
        }
        #expect(sentences > 1_000)
        #expect(tooLong == [])
        #expect(long.count * 100 <= sentences, "\(long.joined(separator: "\n"))")
    }

    @Test(arguments: [
        "Whoever reads it waits.", "A subscriber is told of the change.", "It reads what was written.",
        "What lies there comes back.", "The writer begins anew.", "A program who writes waits.",
    ])
    func `An odd form is found`(sentence: String) {
        let prose = Prose.ofArticle("article", "A good sentence.\n\n- \(sentence)\n\n```\n\(sentence)\n```\n")
        #expect(prose.map(\.oddForms.count).reduce(0, +) == 1)
        #expect(prose.last?.oddForms.first?.hasPrefix("article:3: ") == true)
    }

    @Test func `Sentences end at a period before a capital letter`() {
        let prose = Prose.ofArticle(
            "article", "The store of `a. B` opens. It reads\nthe file, e.g. a page. Then it ends!\n")
        #expect(
            prose.flatMap(\.sentences) == ["The store of X opens.", "It reads the file, e.g. a page.", "Then it ends!"])
    }
}
