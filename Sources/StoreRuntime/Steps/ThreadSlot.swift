import Glibc

/// A pointer of which each thread has its own.
@safe
package struct ThreadSlot: Sendable {
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "the system has no thread-specific key left")
        self.key = key
    }

    /// The calling thread's pointer; nil until it is set. The code that sets it must keep its target alive while it is set.
    @unsafe package var pointer: UnsafeMutableRawPointer? {
        get { unsafe pthread_getspecific(key) }
        nonmutating set { unsafe pthread_setspecific(key, newValue) }
    }
}
