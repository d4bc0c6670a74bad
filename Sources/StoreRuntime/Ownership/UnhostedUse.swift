import LMDB
package import StoreEngine

/// Reports that a component's property was used in a value that no place of a tree hosts. Otherwise the use would be silent: the
/// property has its initial value, and keeps no other.
package enum UnhostedUse {
    /// The lines that were reported outside of scopes.
    private static let reported = HandoverMutex<Set<SourceLine>>([])

    /// Gives a notice, once for the line of the declaration. Outside of scopes, it goes to standard error.
    ///
    /// - Parameters:
    ///   - property: the wrapper, such as `@State`.
    ///   - effect: what happens instead.
    ///   - line: the line of the declaration.
    package static func report(
        _ property: String, _ effect: String, _ line: (file: StaticString, line: UInt)
    ) {
        let line = SourceLine(line.file, line.line)
        let notice = OwnershipNotice(
            .unhosted,
            "\(property) was used in a component without a host, so \(effect); use it in the update or a handler of a placed "
                + "component, and visit it if a property wrapper of yours contains it",
            line: line, scope: Scope.current?.path)
        if let registry = Scope.current?.registry { return registry.notify(notice) }
        if reported.withLock({ $0.insert(line).inserted }) { StandardErrorNotice.write(notice) }
    }
}

/// Stands for the results of a component's request that no place hosts.
package final class UnhostedResults<R: Record>: LiveSource {
    private let line: (file: StaticString, line: UInt)

    package init(_ line: (file: StaticString, line: UInt)) { self.line = line }

    package var records: LiveRecords<R> {
        UnhostedUse.report("@FetchRequest", "it has no records", line)
        return LiveRecords()
    }
}
