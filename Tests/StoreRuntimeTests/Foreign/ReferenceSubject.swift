import StoreEngine
import TestSupport

@testable import StoreRuntime

/// A live request for records without a Swift type, with a subscriber that applies each update to its rows.
final class ReferenceSubject: ForeignSubject {
    private let request: Request
    private let typeIndex: Int
    private let steps: LiveSteps
    private var rows: [DynamicRecord] = []
    private var hasBegun = false

    init(_ request: Request, typeIndex: Int, in store: Store) throws {
        let type = store.recordTypes[typeIndex]
        steps = try store.liveSteps(LiveKey(typeName: type.name, request: request, fields: nil, isCount: false))
        var request = request
        if request.order.isEmpty { request.order = type.orderOfIDs }
        self.request = request
        self.typeIndex = typeIndex
    }

    // The request delivers only through its sequence, so there is nothing to compare here.
    func look(in view: borrowing ReadView) throws {}

    func follow(in store: Store) async throws {
        let fresh = try store.view { view in
            var records: [DynamicRecord] = []
            try view._reading.fetchDynamic(request, typeIndex: typeIndex) { record in
                records.append(record)
                return true
            }
            return records
        }
        let isNews = !hasBegun || fresh != rows
        hasBegun = true
        guard let step = isNews ? try await steps.next() : steps.poll() else {
            if isNews { throw Mismatch("the updates end: \(request)") }
            return
        }
        let update = DynamicUpdate(step)
        let told = try (0..<update.rows.count).map { try update.rows.record($0) }
        guard told == fresh else { throw Mismatch("\(told) are told, not \(fresh): \(request)") }
        if !update.isFirst {
            let applied = try apply(update)
            guard applied == fresh else { throw Mismatch("the changes lead to \(applied), not \(fresh): \(request)") }
        }
        rows = fresh
    }

    /// Returns the rows after the changes of an update, applied in the documented order.
    private func apply(_ update: DynamicUpdate) throws -> [DynamicRecord] {
        var taken: [Int] = []
        var put: [(index: Int, record: DynamicRecord)] = []
        var updated: [(index: Int, record: DynamicRecord)] = []
        for number in 0..<update.changeCount {
            let change = try update.change(number)
            switch change.kind {
            case .delete: taken.append(change.index)
            case .move(let from):
                taken.append(from)
                put.append((change.index, rows[from]))
            case .insert: put.append((change.index, change.record))
            case .update: updated.append((change.index, change.record))
            }
        }
        var result = rows
        for index in taken.sorted(by: >) { result.remove(at: index) }
        for (index, record) in put.sorted(by: { $0.index < $1.index }) {
            guard index <= result.count else { throw Mismatch("a row is put behind the end: \(request)") }
            result.insert(record, at: index)
        }
        for (index, record) in updated { result[index] = record }
        return result
    }
}
