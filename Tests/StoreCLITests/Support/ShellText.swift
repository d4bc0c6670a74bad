/// Commands of a shell, as articles show them.
enum ShellText {
    /// Returns the words of a command, without the commands and files that it is connected with.
    ///
    /// Returns nil if a quotation does not end.
    static func words(of text: some StringProtocol) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                if character != "\n" { word = (word ?? "") + String(character) }
                isEscaped = false
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else {
                    word?.append(character)
                }
            } else if character == "\\" {
                isEscaped = true
            } else if "'\"".contains(character) {
                quote = character
                word = word ?? ""
            } else if "|;&><".contains(character) || character == "#" && word == nil {
                break
            } else if character.isWhitespace {
                if let ended = word { words.append(ended) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
