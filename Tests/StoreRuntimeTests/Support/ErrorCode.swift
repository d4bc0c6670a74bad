import StoreEngine

/// The error that `body` throws, nil when it throws none or no ``StoreError``.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}

/// The error that an asynchronous `body` throws, nil when it throws none or no ``StoreError``.
func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
