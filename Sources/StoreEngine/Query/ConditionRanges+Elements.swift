extension ConditionRanges {
    /// The key of an element that every record must hold that meets the condition; nil where there is none.
    func elementKey(_ node: ConditionNode) -> [UInt8]? {
        switch node {
        case .element(let name, let element) where isOwn(name): key(ofElement: element)
        case .and(let parts): parts.lazy.compactMap { elementKey($0) }.first
        default: nil
        }
    }

    private func key(ofElement element: DynamicValue) -> [UInt8]? {
        guard let elementType = type.fields[part.place].type.elements else { return nil }
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
