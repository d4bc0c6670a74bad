import ModelStore
import ModelStoreComponents
import OpenCombine

/// The time to set a published property, with and without observers of `objectWillChange`.
struct PublishedSet {
    private final class Session: ModelStoreComponents.ObservableObject, Sendable {
        @ModelStoreComponents.Published var count = 0
    }

    private final class Own: ModelStoreComponents.ObservableObject, Sendable {
        let objectWillChange = ObjectWillChange()
        @ModelStoreComponents.Published var count = 0
    }

    private final class Combined: OpenCombine.ObservableObject {
        @OpenCombine.Published var count = 0
    }

    func run() {
        let (subject, session, own) = (ModelStoreComponents.Subject(0), Session(), Own())
        let bare = time { subject.send($0) }
        let unobserved = time { session.count = $0 }
        let unobservedOwn = time { own.count = $0 }
        // Objects of other classes and of the same class, but not this object.
        let other = Own()
        let tokens = [other.objectWillChange.observe {}, Session().objectWillChange.observe {}]
        let beside = time { session.count = $0 }
        let token = session.objectWillChange.observe {}
        let observed = time { session.count = $0 }
        let (alone, sunk) = (Combined(), Combined())
        let combine = time { alone.count = $0 }
        let cancellable = sunk.objectWillChange.sink { _ in }
        let combineSink = time { sunk.count = $0 }
        print("setting a subject: \(bare) ns;", terminator: " ")
        print("a published property of an object without observers \(unobserved) ns,", terminator: " ")
        print("with an objectWillChange of its own \(unobservedOwn) ns,", terminator: " ")
        print("while others are observed \(beside) ns, observed itself \(observed) ns;", terminator: " ")
        print("OpenCombine's \(combine) ns, with a sink \(combineSink) ns")
        withExtendedLifetime((tokens, token, cancellable)) {}
    }

    private func time(_ set: (Int) -> Void) -> Int {
        let count = 100_000
        var number = 0
        return Int(
            OperationTime(of: count) {
                for _ in 0..<count {
                    number += 1
                    set(number)
                }
            }.nanoseconds)
    }
}
