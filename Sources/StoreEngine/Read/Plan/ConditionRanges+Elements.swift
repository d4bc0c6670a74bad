extension ConditionRanges {
    /// Returns an element test that every matching record must pass, and the element's key; nil where the condition has no such
    /// test.
    func element(_ node: ConditionNode) -> (test: ConditionNode, key: [UInt8])? {
        switch node {
        case .element(let name, let element) where isOwn(name): key(ofElement: element).map { (node, $0) }
        case .and(let parts): parts.lazy.compactMap { self.element($0) }.first
        default: nil
        }
    }

    private func key(ofElement element: DynamicValue) -> [UInt8]? {
        guard let elementType = type.fields[part.fieldIndex].type.elements else { return nil }
        var bytes = ByteWriter(capacity: 64)
        var key = ByteWriter(capacity: 64)
        do {
            try element.encode(as: elementType, to: &bytes)
            try part.component.append(bytes.bytes, to: &key)
            return key.array()
        } catch {
            return nil
        }
    }
}
