import StoreEngine

/// The log of a copied replica that learns its new place. Nothing may be written there before it follows the real log.
final class JoiningLog: CommitLog {
    func append(_ entry: LoggedEntry, after replica: [UInt8]?) throws -> [UInt8] {
        throw StoreError(.replicaDiverged, "a copied replica was written to before it followed its log")
    }

    func requirePrograms(using types: [RecordType]) {}

    func catchUp() {}

    func holdBack() {}

    func committed() {}

    func stop() {}

    func takeTurn(ofConsumer name: String) -> (any ConsumerTurn)? { nil }

    func isOutage(_ error: StoreError) -> Bool { false }
}
