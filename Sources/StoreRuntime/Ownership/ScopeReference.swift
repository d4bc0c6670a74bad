/// A scope that is known without being kept.
final class ScopeReference: Sendable {
    weak let scope: Scope?
    let number: UInt64

    init(_ scope: Scope) {
        self.scope = scope
        number = scope.number
    }
}

extension Scope {
    /// The scope whose task or block the current task is in.
    @TaskLocal static var currentReference: ScopeReference?

    /// The scope whose task, or whose block of ``withChild(_:file:line:_:)``, the calling code is in; nil elsewhere.
    public static var current: Scope? { currentReference?.scope }

    /// Who pins what is pinned by the calling code, if it does not say.
    static var currentHolder: PinState.Holder { .program(inScope: currentReference?.number) }

    /// Whether the calling code is in a task or block of this scope, or of one within it.
    var isCurrent: Bool {
        var scope = Scope.current
        while let here = scope {
            if here === self { return true }
            scope = here.parent
        }
        return false
    }
}
