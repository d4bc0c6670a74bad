import LMDB

/// The write closure that the calling thread runs. Only debug builds keep track of it.
enum WriteClosure {
    private static let environment = ThreadSlot()

    /// Runs a write closure of a store.
    @inline(__always)
    static func run(of store: LMDBEnvironment, _ body: () throws -> Void) rethrows {
        #if DEBUG
        let outer = unsafe environment.pointer
        unsafe environment.pointer = Unmanaged.passUnretained(store).toOpaque()
        defer { unsafe environment.pointer = outer }
        #endif
        try body()
    }

    /// Whether the calling thread runs a write closure of a store; false in release builds.
    @inline(__always)
    static func isRunning(of store: LMDBEnvironment) -> Bool {
        #if DEBUG
        unsafe environment.pointer == Unmanaged.passUnretained(store).toOpaque()
        #else
        false
        #endif
    }
}
