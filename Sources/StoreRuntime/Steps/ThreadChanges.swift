/// Finds out whether code on the calling thread changes values that other code reads. This distinguishes updates that keep
/// causing themselves from updates with outside causes.
package enum ThreadChanges {
    private static let slot = ThreadSlot()

    /// Runs a closure.
    ///
    /// - Returns: whether the thread has changed something meanwhile, or has asked for a write that will.
    package static func haveCome(during body: () -> Void) -> Bool {
        let outer = unsafe slot.pointer
        var haveCome = false
        unsafe withUnsafeMutablePointer(to: &haveCome) { pointer in
            unsafe slot.pointer = UnsafeMutableRawPointer(pointer)
            body()
            unsafe slot.pointer = outer
        }
        return haveCome
    }

    /// Whether the calling code runs in a closure of ``haveCome(during:)``, and so in an update of a host or in its handlers.
    package static var areWatched: Bool { unsafe slot.pointer != nil }

    /// Notes a change.
    package static func note() {
        unsafe slot.pointer?.assumingMemoryBound(to: Bool.self).pointee = true
    }
}
