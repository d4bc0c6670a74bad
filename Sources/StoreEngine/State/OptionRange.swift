/// The range of one option, which the store checks before it uses the options.
package struct OptionRange<Options>: Sendable {
    /// The path of the option, such as `limits.batchedWrites`.
    package let name: String
    /// The range, as documents and errors state it.
    package let text: String
    /// Returns the value as a text if it is outside its range.
    private let violation: @Sendable (Options) -> String?

    /// An integer in a range.
    package init(
        _ name: String, _ range: ClosedRange<Int>, _ value: @escaping @Sendable (Options) -> Int
    ) {
        self.init(optional: name, range, value)
    }

    /// An integer in a range, or nil.
    package init(
        optional name: String, _ range: ClosedRange<Int>, _ value: @escaping @Sendable (Options) -> Int?
    ) {
        self.name = name
        text = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        violation = { options in value(options).flatMap { range.contains($0) ? nil : "\($0)" } }
    }

    /// A duration in a range.
    package init(
        _ name: String, _ range: ClosedRange<Duration>, _ value: @escaping @Sendable (Options) -> Duration
    ) {
        self.init(optional: name, range, value)
    }

    /// A duration in a range, or nil.
    package init(
        optional name: String, _ range: ClosedRange<Duration>, _ value: @escaping @Sendable (Options) -> Duration?
    ) {
        self.name = name
        text = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        violation = { options in value(options).flatMap { range.contains($0) ? nil : "\($0)" } }
    }

    /// A duration of zero or more. The code that uses it allows every such duration, and treats centuries as forever.
    package init(unlimited name: String, _ value: @escaping @Sendable (Options) -> Duration) {
        self.name = name
        text = "0 s or more"
        violation = { options in value(options) < .zero ? "\(value(options))" : nil }
    }

    /// A duration that must not be longer than that of another option.
    package init(
        _ name: String, notLongerThan other: String, _ value: @escaping @Sendable (Options) -> (Duration, Duration)
    ) {
        self.name = name
        text = "at most \(other)"
        violation = { options in
            let (lower, upper) = value(options)
            return lower > upper ? "\(lower), and \(other) is \(upper)" : nil
        }
    }

    private init(name: String, text: String, violation: @escaping @Sendable (Options) -> String?) {
        self.name = name
        self.text = text
        self.violation = violation
    }

    /// Returns the range as that of an option inside a property of other options.
    package func inside<Outer>(
        _ property: String, _ inner: @escaping @Sendable (Outer) -> Options
    ) -> OptionRange<Outer> {
        let violation = violation
        return OptionRange<Outer>(name: "\(property).\(name)", text: text) { violation(inner($0)) }
    }

    /// Throws if the option is outside its range.
    ///
    /// - Parameter owner: the type of the options.
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    package func check(_ options: Options, of owner: String) throws(StoreError) {
        guard let value = violation(options) else { return }
        throw StoreError(
            .invalidValue, "\(owner).\(name) is \(value), outside its range", remedy: "set it to a value of \(text)")
    }

    /// Returns an integer with separators.
    private static func text(_ integer: Int) -> String {
        var digits = Array(String(integer))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return String(digits)
    }

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if attoseconds != 0 { return "\(attoseconds / 1_000_000_000_000_000) ms" }
        let day: Int64 = 86_400
        return seconds >= day && seconds % day == 0 ? "\(text(Int(seconds / day))) days" : "\(text(Int(seconds))) s"
    }
}

extension Duration {
    /// The longest duration of an option: a century. Deadlines and sums with it cannot overflow.
    package static var longestOption: Duration { .seconds(36_525 * 86_400) }
}

extension StoreLimits {
    /// The range of every limit.
    package static let ranges: [OptionRange<StoreLimits>] = [
        OptionRange("recordByteCount", 1...1 << 31) { $0.recordByteCount },
        OptionRange("changeSetByteCount", 1...1 << 46) { $0.changeSetByteCount },
        OptionRange("queuedWrites", 1...1 << 24) { $0.queuedWrites },
        OptionRange("batchedWrites", 1...1 << 16) { $0.batchedWrites },
        OptionRange("retainedChangeSets", 1...1 << 46) { $0.retainedChangeSets },
        OptionRange(optional: "retainedAge", .zero ... .longestOption) { $0.retainedAge },
        OptionRange(optional: "retainedFeedByteCount", 0...1 << 46) { $0.retainedFeedByteCount },
        OptionRange(optional: "changedRecordLimit", 0...1 << 40) { $0.changedRecordLimit },
    ]
}

extension RetentionLease {
    /// The range of every part of a lease.
    package static let ranges: [OptionRange<RetentionLease>] = [
        OptionRange("changeSets", 0...1 << 46) { $0.changeSets },
        OptionRange("age", .zero ... .longestOption) { $0.age },
        OptionRange("byteCount", 0...1 << 46) { $0.byteCount },
    ]
}
