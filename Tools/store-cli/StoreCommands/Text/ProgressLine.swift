import StoreEngine

/// The text of a progress bar at one moment.
struct ProgressLine: Equatable {
    private static let widestBar = 30

    /// The name of the work.
    var label: String
    /// The units that are done.
    var completed: Int
    /// The total number of units, if it is known.
    var total: Int?
    /// The unit: "rows", "bytes".
    var unit: String
    /// The time since the start.
    var elapsed: Duration

    /// Returns the line, in at most `width` columns.
    func text(width: Int) -> String {
        let seconds = elapsed / .seconds(1)
        guard let total, total > 0 else {
            return DisplayText.cut("\(label)  \(grouped(completed)) \(unit)\(rate(over: seconds))", to: width)
        }
        let done = min(max(completed, 0), total)
        // As doubles, because a number of bytes times 100 may overflow.
        let share = Double(done) / Double(total)
        let percent = String(Int(share * 100))
        let counts = "\(grouped(completed))/\(grouped(total)) \(unit)\(remainder(share: share, seconds: seconds))"
        let beside = "\(label)    \(String(repeating: " ", count: 3 - percent.count))\(percent)%  \(counts)"
        let room = min(width - DisplayText.width(of: beside) - 2, Self.widestBar)
        guard room >= 5 else { return DisplayText.cut("\(label)  \(percent)%  \(counts)", to: width) }
        let filled = Int(share * Double(room))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: room - filled)
        let padding = String(repeating: " ", count: 3 - percent.count)
        return "\(label)  [\(bar)]  \(padding)\(percent)%  \(counts)"
    }

    private func rate(over seconds: Double) -> String {
        guard seconds >= 1 else { return "" }
        return "  \(grouped(Int(Double(completed) / seconds)))/s"
    }

    /// Returns the estimated time for the rest. An estimate in the first second would only flicker.
    private func remainder(share: Double, seconds: Double) -> String {
        guard seconds >= 1, share > 0, share < 1 else { return "" }
        let left = seconds / share - seconds
        guard left < 360_000 else { return "" }
        switch Int(left.rounded(.up)) {
        case let seconds where seconds < 100: return "  \(seconds) s left"
        case let seconds where seconds < 6_000: return "  \((seconds + 59) / 60) min left"
        case let seconds: return "  \((seconds + 3_599) / 3_600) h left"
        }
    }

    private func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
