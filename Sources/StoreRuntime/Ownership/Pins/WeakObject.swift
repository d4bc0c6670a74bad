/// A weak reference to an object.
///
/// The object's type need not be Sendable: this class only tests whether the object is alive, and asks for its name.
package final class WeakObject: @unchecked Sendable {
    package weak let object: AnyObject?
    let type: AnyClass

    package init(_ object: AnyObject) {
        self.object = object
        type = Swift.type(of: object)
    }
}
