/// The notices that were delivered, and how often initial values were made.
struct NoticeBook {
    struct Constructed {
        let type: String
        var constructedCount = 0
        var usedCount = 0
    }

    private struct Subject: Hashable {
        let code: OwnershipNotice.Code
        let line: SourceLine?
    }

    private var reported: Set<Subject> = []
    /// The lines of owners whose expression was evaluated for a check.
    private var checked: Set<SourceLine> = []
    /// By the number of the line.
    private(set) var constructions: [UInt32: Constructed] = [:]

    var count: Int { reported.count }

    /// Notes a notice.
    ///
    /// - Returns: whether it is the first of its kind for the line.
    mutating func isNew(_ notice: OwnershipNotice) -> Bool {
        reported.insert(Subject(code: notice.code, line: notice.line)).inserted
    }

    /// Notes the check of an owner's expression.
    ///
    /// - Returns: whether it is the first check for the line.
    mutating func isNewCheck(_ line: SourceLine) -> Bool { checked.insert(line).inserted }

    func awaitsCheck(_ line: SourceLine) -> Bool { !checked.contains(line) }

    /// The number of unused initial values from which the registry gives a notice.
    private static let wasteLimit = 3

    /// Counts initial values.
    ///
    /// - Returns: whether too many were not used.
    mutating func count(_ constructed: Int, _ used: Int, line: UInt32, of type: String) -> Bool {
        var counts = constructions[line] ?? Constructed(type: type)
        counts.constructedCount += constructed
        counts.usedCount += used
        constructions[line] = counts
        return counts.constructedCount - counts.usedCount >= Self.wasteLimit
    }
}
