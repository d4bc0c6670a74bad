import LMDB
package import StoreEngine

extension StoreOptions {
    /// Half of the addresses that a process has.
    private static let largestByteCount = 1 << 46
    /// The length of a new map that LMDB accepts.
    private static let smallestMap = 1 << 16

    /// The range of every option that is a number or a duration, in the order of the declarations.
    package static let ranges: [OptionRange<StoreOptions>] =
        [
            OptionRange(optional: "maximumByteCount", Quota.minimumByteCount...largestByteCount) {
                $0.maximumByteCount
            },
            OptionRange("addressSpaceByteCount", smallestMap...largestByteCount) { $0.addressSpaceByteCount },
            OptionRange("maximumReaders", 1...1_000_000) { $0.maximumReaders },
            OptionRange("maximumDatabases", 1...databasesOfAnyStore) { $0.maximumDatabases },
            OptionRange("fileMode", 0...0o7777) { Int($0.fileMode) },
        ] + StoreLimits.ranges.map { $0.inside("limits") { $0.limits } } + [
            OptionRange(optional: "writeTimeout", .zero ... .longestOption) { $0.writeTimeout }
        ] + SnapshotLimits.ranges.map { $0.inside("snapshotLimits") { $0.snapshotLimits } }
        + OwnershipOptions.ranges.map { $0.inside("ownership") { $0.ownership } }

    /// Checks the options, and returns them as the store uses them.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func checked() throws(StoreError) -> StoreOptions {
        try check()
        guard let maximumByteCount else { return self }
        var options = self
        options.limits.retainedFeedByteCount = limits.retainedFeedByteCount ?? maximumByteCount / 4
        return options
    }

    /// Throws unless every option is in its range.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func check() throws(StoreError) {
        for range in Self.ranges { try range.check(self, of: "StoreOptions") }
        try checkOriginName()
        guard let maximumByteCount else { return }
        let environment = environment
        let beside = Quota.sideByteCount(environment)
        guard beside <= maximumByteCount / 2 else {
            throw StoreError(
                .invalidValue,
                "StoreOptions.maximumByteCount is \(maximumByteCount), and the files beside data.mdb may take \(beside)",
                remedy:
                    "set maximumByteCount to at least \(2 * beside), or maximumReaders to fewer than \(maximumReaders)")
        }
    }
}

extension SnapshotLimits {
    /// The range of every limit.
    static let ranges: [OptionRange<SnapshotLimits>] = [
        OptionRange(optional: "age", .zero ... .longestOption) { $0.age },
        OptionRange(optional: "commitCount", 0...1 << 46) { $0.commitCount },
        OptionRange(optional: "byteCount", 0...1 << 46) { $0.byteCount },
    ]
}

extension OwnershipOptions {
    /// The range of every option that is a number or a duration.
    static let ranges: [OptionRange<OwnershipOptions>] = [
        OptionRange(unlimited: "gracePeriod") { $0.gracePeriod },
        OptionRange("graceLimit", 0...1 << 32) { $0.graceLimit },
        OptionRange(unlimited: "leakDelay") { $0.leakDelay },
    ]
}

extension FeedOptions {
    /// The range of every option that is a number.
    package static let ranges: [OptionRange<FeedOptions>] = [
        OptionRange("changesPerPart", 1...1 << 24) { $0.changesPerPart }
    ]

    /// Throws unless every option is in its range.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func check() throws(StoreError) {
        for range in Self.ranges { try range.check(self, of: "FeedOptions") }
    }
}

extension RetryPolicy {
    /// The range of every part of the policy.
    static let ranges: [OptionRange<RetryPolicy>] = [
        OptionRange("attempts", 1...1_000_000_000) { $0.attempts },
        OptionRange("firstDelay", .zero ... .longestOption) { $0.firstDelay },
        OptionRange("longestDelay", .zero ... .longestOption) { $0.longestDelay },
        OptionRange("firstDelay", notLongerThan: "longestDelay") { ($0.firstDelay, $0.longestDelay) },
    ]
}

extension ConsumerOptions {
    /// The range of every option that is a number or a duration.
    package static let ranges: [OptionRange<ConsumerOptions>] =
        RetentionLease.ranges.map { $0.inside("lease") { $0.lease } }
        + FeedOptions.ranges.map { $0.inside("feed") { $0.feed } } + [
            OptionRange("changeSetsPerCommit", 1...1 << 20) { $0.changeSetsPerCommit }
        ] + RetryPolicy.ranges.map { $0.inside("retry") { $0.retry } } + [
            OptionRange("takeoverInterval", .milliseconds(1) ... .longestOption) { $0.takeoverInterval }
        ]

    /// Throws unless every option is in its range.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func check() throws(StoreError) {
        for range in Self.ranges { try range.check(self, of: "ConsumerOptions") }
    }
}
