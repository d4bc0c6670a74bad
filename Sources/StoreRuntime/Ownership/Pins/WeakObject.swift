/// An object that is known without being kept.
///
/// It may be of a type that is not Sendable: it is asked for nothing but whether it is there still, and what it is called.
package final class WeakObject: @unchecked Sendable {
    package weak let object: AnyObject?
    let type: AnyClass

    package init(_ object: AnyObject) {
        self.object = object
        type = Swift.type(of: object)
    }
}
