/// A scope that is known without being kept.
final class ScopeReference: Sendable {
    weak let scope: Scope?
    let number: UInt64

    init(_ scope: Scope) {
        self.scope = scope
        number = scope.number
    }
}

/// The scope that a task is in.
struct ScopeMembership: Sendable {
    let reference: ScopeReference
    /// The task whose body is the scope's task or block: those that it begins inherit the membership.
    private let task: Int?

    /// That of the current task, which is about to run a task or a block of a scope.
    init(_ reference: ScopeReference) {
        self.reference = reference
        task = Self.currentTask
    }

    /// Whether the calling task has it of its own, and has not inherited it.
    var isOwn: Bool { task == Self.currentTask }

    private static var currentTask: Int? { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } }
}

extension Scope {
    /// The scope whose task or block the current task is in.
    @TaskLocal static var currentMembership: ScopeMembership?

    /// The scope whose task, or whose block of ``withChild(_:file:line:_:)``, the calling code is in; nil elsewhere.
    public static var current: Scope? { currentMembership?.reference.scope }

    /// Who pins what is pinned by the calling code, if it does not say.
    static var currentHolder: PinState.Holder { .program(inScope: currentMembership?.reference.number) }

    /// Whether the calling code is in a task or block of this scope, or of one within it, or in what one of them has begun.
    var isCurrent: Bool {
        var scope = Scope.current
        while let here = scope {
            if here === self { return true }
            scope = here.parent
        }
        return false
    }
}
