import ModelStore
import Testing

/// Expects that `body` throws a ``StoreError`` with the given code.
func expectError<T>(_ code: StoreError.Code, _ body: () async throws -> T) async throws {
    let error = await #expect(throws: StoreError.self) { _ = try await body() }
    #expect(error?.code == code)
}
