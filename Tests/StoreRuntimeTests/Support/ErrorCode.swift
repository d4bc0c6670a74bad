import StoreEngine

/// Returns the error that `body` throws; nil if it throws none or one that is not a ``StoreError``.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}

/// Returns the error that an asynchronous `body` throws; nil if it throws none or one that is not a ``StoreError``.
func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
