import LMDB
package import StoreEngine

extension LiveQuery {
    /// Returns a subscription that goes from step to step.
    ///
    /// - Parameters:
    ///   - signal: raised whenever there may be a new step; other code may raise it too.
    ///   - position: the position at which the subscriber had the results before; nil for a new subscriber. If the results at
    ///     that position cannot be reconstructed, the subscription starts over. It delivers nothing from before the position.
    ///   - fingerprint: the fingerprint of the request whose results the subscriber had; nil for the current request. See
    ///     ``LiveSteps/fingerprint(_:)``.
    ///   - narrow: leaves out of a step what the subscriber cannot see.
    /// - Throws: ``StoreError``: `closed`; `damaged`; the error of a request that does not match its record type any more.
    package func steps(
        _ signal: Signal = Signal(), since position: Position? = nil, of fingerprint: UInt64? = nil,
        narrow: @escaping (LiveStep) -> LiveStep = { $0 }
    ) throws -> LiveSteps {
        let steps = LiveSteps(self, signal, narrow: narrow)
        guard let position else { return steps }
        let request = request
        try core.view { view in
            guard try Self.isKnown(position, view) else { return }
            let catalog = view._reading.catalog
            let type = try catalog.binding(R.self).type
            let isOther = fingerprint.map { $0 != request.request.resultFingerprint(type, in: catalog) } ?? false
            let old = isOther ? nil : try Self.past(of: request, at: position, view)
            steps.resume(from: old, at: position.sequence)
        }
        return steps
    }

    /// The most records that may have changed since a position whose results are reconstructed.
    private static var pastLimit: Int { 10_000 }

    /// Whether a position is in the retained feed.
    private static func isKnown(_ position: Position, _ view: borrowing ReadView) throws(StoreError) -> Bool {
        do {
            try view._reading.requireResumable(position)
            return true
        } catch {
            guard isLoss(error) else { throw error }
            return false
        }
    }

    private static func isLoss(_ error: StoreError) -> Bool {
        switch error.code {
        case .positionOfAnotherStore, .positionInFuture, .positionCompacted, .positionDiverged: true
        default: false
        }
    }

    /// Returns the results of a request at an earlier position; nil if they cannot be reconstructed.
    private static func past(
        of request: FetchRequest<R>, at position: Position, _ view: borrowing ReadView
    ) throws(StoreError) -> LiveVersion? {
        let scope = view._reading
        let catalog = scope.state.catalog
        let reads = try catalog.reads(of: request)
        var net = StepNet(catalog) { number in reads.contains { $0.type == number } ? .both : .nothing }
        try net.read(scope, from: position, to: view.position, limit: pastLimit)
        if net.resetsAll || !net.resetTypes.isDisjoint(with: reads.map(\.type)) { return nil }
        let changes = try net.finish()
        let binding = try catalog.binding(R.self)
        let old = try LivePast.rows(
            of: request.request, typeIndex: binding.typeIndex, before: changes, in: scope)
        return old.map {
            LiveVersion(rows: $0, count: $0.count, position: position, catalog: catalog, type: binding.type)
        }
    }
}
