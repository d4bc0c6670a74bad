/// Makes the keys by which routes look records up.
struct RouteKeys: Sendable {
    let parts: [LiveRoute.Part]
    private let components: [KeyComponent]

    /// - Parameter parts: fields that have an order.
    init(_ parts: [LiveRoute.Part], _ type: OpenType) {
        self.parts = parts
        components = parts.compactMap { KeyComponent(type.type.fields[$0.fieldIndex].type) }
    }

    /// Returns the key of a record.
    func key(_ content: RecordContent) throws(CodecError) -> [UInt8] {
        try content.withTable { (table) throws(CodecError) in
            var key = ByteWriter(capacity: 64)
            for (part, component) in zip(parts, components) {
                let start = key.count
                try component.append(table.field(part.fieldIndex), to: &key)
                if part.isDescending { key.complement(from: start) }
            }
            return key.array()
        }
    }
}
