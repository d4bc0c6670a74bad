/// A weak reference to a scope.
final class ScopeReference: Sendable {
    weak let scope: Scope?
    let number: UInt64

    init(_ scope: Scope) {
        self.scope = scope
        number = scope.number
    }
}

/// The membership of a task in a scope.
struct ScopeMembership: Sendable {
    let reference: ScopeReference
    /// The task whose body is the scope's task or block. Tasks that it starts inherit the membership with this value.
    private let task: Int?

    /// Creates the membership of the current task, which is about to run a task or a block of a scope.
    init(_ reference: ScopeReference) {
        self.reference = reference
        task = Self.currentTask
    }

    /// Whether the calling task has the membership itself, and has not inherited it.
    var isOwn: Bool { task == Self.currentTask }

    private static var currentTask: Int? { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } }
}

extension Scope {
    /// The membership of the current task in the scope whose task or block it runs.
    @TaskLocal static var currentMembership: ScopeMembership?

    /// The scope whose task, or whose block of ``withChild(_:file:line:_:)``, runs the calling code; nil elsewhere.
    public static var current: Scope? { currentMembership?.reference.scope }

    /// The default holder of pins that the calling code takes.
    static var currentHolder: PinState.Holder { .program(inScope: currentMembership?.reference.number) }

    /// Whether the calling code runs in a task or block of this scope or of a scope within it, or in a task that one of these
    /// started.
    var isCurrent: Bool {
        var scope = Scope.current
        while let here = scope {
            if here === self { return true }
            scope = here.parent
        }
        return false
    }
}
