import ModelStore
import Testing

/// Expects that `body` throws a store error with a code.
func expectError<T>(_ code: StoreError.Code, _ body: () async throws -> T) async throws {
    let error = await #expect(throws: StoreError.self) { _ = try await body() }
    #expect(error?.code == code)
}
