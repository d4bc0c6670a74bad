import Foundation
import TestSupport

/// Cuts a recorded run at many moments, and checks the possible contents of the disk.
struct PowerLoss {
    /// The results of the cuts.
    struct Outcome {
        /// The number of images of a store after its first open.
        var images = 0
        /// The number of images from before the first open returned, and how many of them were refused.
        var unborn = 0
        var refusedUnborn = 0
        var refusals: Set<String> = []
        /// The number of images that lost an acknowledged relaxed write, which is allowed.
        var lostRelaxed = 0
        var violations: [String] = []

        /// The outcome in one line.
        var summary: String {
            "\(images) images of a store and \(unborn) of one in the making (\(refusedUnborn) refused); "
                + "acknowledged relaxed writes lost in \(lostRelaxed), violations in \(violations.count)"
        }
    }

    private let run: RecordedRun
    private let log: FolderLog
    private let everyAcknowledgement: [UInt64: UInt64]
    /// Whether all writes are full ones. Then no process may see one before it is durable.
    private let onlyFull: Bool
    /// Whether a sync failed. A write of unknown outcome may then be on the disk until a later write takes its number.
    private let hasFailedSync: Bool
    private let checker = StoreChecker()
    private var random: TestRandom
    private(set) var outcome = Outcome()

    /// - Parameter log: what to cut; nil for the log of the run.
    init(_ run: RecordedRun, log: FolderLog? = nil, seed: UInt64) {
        self.run = run
        let log = log ?? run.folderLog
        self.log = log
        random = TestRandom(seed: seed)
        var acknowledged: [UInt64: UInt64] = [:]
        for case .mark(let text) in log.steps {
            if let write = Acknowledgement(text) { acknowledged[write.sequence] = write.hash }
        }
        everyAcknowledgement = acknowledged
        onlyFull = log.steps.allSatisfy { step in
            if case .mark(let text) = step { Acknowledgement(text)?.isFull ?? true } else { true }
        }
        hasFailedSync = log.steps.contains { if case .content(_, .failedSync) = $0 { true } else { false } }
    }

    /// The fractions of unsynced units that reach the disk.
    private static let chances = [0, 0.1, 0.5, 0.5, 0.9, 1]

    /// The guarantees given before a cut.
    private struct Promised {
        var epoch: UInt64?
        var full: UInt64 = 0
        var relaxed: UInt64 = 0
        /// The newest change set that a follower has received.
        var seen: UInt64 = 0
        /// The hashes of the acknowledged change sets.
        var hashes: [UInt64: UInt64] = [:]

        mutating func hear(_ text: String) {
            if let write = Acknowledgement(text) {
                if write.isFull { full = max(full, write.sequence) }
                relaxed = max(relaxed, write.sequence)
                hashes[write.sequence] = write.hash
            } else if text.hasPrefix("seen "), let sequence = text.split(separator: " ").dropFirst().first {
                seen = max(seen, UInt64(sequence) ?? 0)
            } else if text.hasPrefix("open "), epoch == nil {
                epoch = UInt64(text.dropFirst(5))
            }
        }
    }

    /// Cuts before and within the operations, until there are enough violations.
    ///
    /// - Parameters:
    ///   - images: The number of images, spread evenly over all operations.
    ///   - onlyWhileMade: Whether to cut only before the first open of the store has returned.
    mutating func cutEverywhere(
        images: Int, stopAtViolations limit: Int = 20, onlyWhileMade: Bool = false
    ) throws {
        let steps = log.steps.prefix { step in
            if case .mark = step { !onlyWhileMade } else { true }
        }
        let imagesPerCut = Double(images) / Double(steps.count { $0.changesDisk })
        var disk = FolderDisk(log.beginning)
        var promised = Promised()
        for (place, step) in steps.enumerated() {
            if case .mark(let text) = step { promised.hear(text) }
            guard outcome.violations.count < limit else { return }
            if step.changesDisk {
                var cut = disk
                cut.begin(step)
                try lookAt(cut, promised, place, times: times(imagesPerCut))
            }
            disk.apply(step)
        }
        // Also cuts after the end, when the pending writes are lost.
        try lookAt(disk, promised, steps.count, times: 4)
    }

    private mutating func times(_ average: Double) -> Int {
        let whole = Int(average)
        return whole + (Double.random(in: 0..<1, using: &random) < average - Double(whole) ? 1 : 0)
    }

    private mutating func lookAt(_ disk: FolderDisk, _ promised: Promised, _ place: Int, times: Int) throws {
        for _ in 0..<times {
            let chance = Self.chances.randomElement(using: &random) ?? 0
            let unit = Bool.random(using: &random) ? Disk.Unit.page : .sector
            let image = disk.image(chance: chance, unit: unit, order: .journal, using: &random)
            try run.replaceFiles(with: image)
            let verdict = try checker.check(run.store)
            if let violation = judge(verdict, promised) {
                let cut = "cut at step \(place), each \(unit) kept with chance \(chance)"
                outcome.violations.append("\(cut): \(violation)")
            }
        }
    }

    /// Returns the violation in a verdict, given the guarantees before the cut; nil if there is none.
    private mutating func judge(_ verdict: StoreChecker.Verdict, _ promised: Promised) -> String? {
        guard let epoch = promised.epoch else {
            outcome.unborn += 1
            switch verdict {
            case .sound: return nil
            case .refused(let reason):
                outcome.refusedUnborn += 1
                outcome.refusals.insert(reason)
                return nil
            case .bad(let finding): return "in the making: \(finding)"
            }
        }
        outcome.images += 1
        switch verdict {
        case .refused(let reason): return reason
        case .bad(let finding): return finding
        case .sound(let sound):
            if sound.epoch != epoch { return "the epoch is \(sound.epoch), it was \(epoch)" }
            if sound.sequence < promised.full {
                return "change set \(promised.full) was acknowledged as full, the store ends at \(sound.sequence)"
            }
            if onlyFull, sound.sequence < promised.seen {
                return "change set \(promised.seen) was delivered to a follower, the store ends at \(sound.sequence)"
            }
            let hashes = hasFailedSync ? promised.hashes : everyAcknowledgement
            if let hash = hashes[sound.sequence], hash != sound.hash {
                return "change set \(sound.sequence) is not the one that was acknowledged"
            }
            if sound.sequence < promised.relaxed { outcome.lostRelaxed += 1 }
            return nil
        }
    }
}
