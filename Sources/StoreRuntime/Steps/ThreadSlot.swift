import Glibc

/// A pointer that each thread has its own of.
@safe
package struct ThreadSlot: Sendable {
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "the system has no thread-specific key left")
        self.key = key
    }

    /// The calling thread's; nil until it was set. Whoever sets it sees to it that it leads somewhere for as long.
    @unsafe package var pointer: UnsafeMutableRawPointer? {
        get { unsafe pthread_getspecific(key) }
        nonmutating set { unsafe pthread_setspecific(key, newValue) }
    }
}
