import StoreRuntime

/// A run of an observer of a published property. It belongs to the thread that runs it.
final class ObserverRun {
    private let subject: AnyObject
    /// The run whose observer caused this one.
    private let outer: ObserverRun?

    private init(_ subject: AnyObject, in outer: ObserverRun?) {
        self.subject = subject
        self.outer = outer
    }

    private static let slot = ThreadSlot()

    private static var current: ObserverRun? {
        guard let pointer = unsafe slot.pointer else { return nil }
        return unsafe Unmanaged<ObserverRun>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Returns whether the calling thread runs an observer of the property.
    static func isCurrent(for subject: AnyObject) -> Bool {
        var run = current
        while let here = run {
            if here.subject === subject { return true }
            run = here.outer
        }
        return false
    }

    /// Runs an observer of the property.
    static func run(for subject: AnyObject, _ observer: () -> Void) {
        let outer = current
        let run = ObserverRun(subject, in: outer)
        withExtendedLifetime(run) {
            unsafe slot.pointer = Unmanaged.passUnretained(run).toOpaque()
            observer()
            unsafe slot.pointer = outer.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        }
    }
}
