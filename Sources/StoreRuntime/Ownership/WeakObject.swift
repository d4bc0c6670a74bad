/// An object that is known without being kept.
///
/// It may be of a type that is not Sendable: it is asked for nothing but whether it is there still, and what it is called.
final class WeakObject: @unchecked Sendable {
    weak let object: AnyObject?
    let type: AnyClass

    init(_ object: AnyObject) {
        self.object = object
        type = Swift.type(of: object)
    }
}
