/// Compiles a condition for the records of one type.
struct ConditionCompiler {
    let type: RecordType

    /// Compiles a condition: resolves its names, checks that values match their fields, and encodes the values.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` when a value does not match its field, or when the field does not
    ///   support the test.
    func compile(_ node: ConditionNode, depth: Int = 0) throws(StoreError) -> CompiledCondition {
        guard depth < ConditionMistake.maximumDepth else { throw ConditionMistake.deepCondition.error }
        switch node {
        case .constant(let value): return .constant(value)
        case .comparison(let name, let comparison, let value): return try compile(name, comparison, value)
        case .fieldComparison(let left, let comparison, let right): return try compile(left, comparison, right)
        case .arithmetic(let left, let comparison, let right):
            return .arithmetic(try CompiledArithmetic(left, comparison, right, of: type))
        case .elements(let name, let test, let condition):
            let access = try FieldAccess(name, of: type)
            guard let element = access.type.testedElementType else { throw misfit(name, access, "has no elements") }
            let inner = ConditionCompiler(
                type: RecordType(elements: element, named: "an element of \(type.name).\(name)"))
            return .elements(
                access, CompiledElements(test, try inner.compile(condition, depth: depth + 1), of: element))
        case .membership(let name, let values): return try compile(name, values)
        case .text(let name, let test, let pattern, let options):
            let access = try FieldAccess(name, of: type)
            guard access.type.rawType == .string else { throw misfit(name, access, "is not text") }
            return .text(access, TextMatcher(test, pattern, options))
        case .element(let name, let element):
            let access = try FieldAccess(name, of: type)
            guard let elementType = access.type.testedElementType else { throw misfit(name, access, "has no elements") }
            _ = try encoded(element, elementType, name)
            // If elements have an order, compare them as indexes do.
            if KeyComponent(elementType.unwrapped) != nil {
                return try compile(
                    .elements(name, .any, .comparison(FieldName(""), .equal, element)), depth: depth)
            }
            return .element(access, element)
        case .size(let name, let comparison, let size):
            let access = try FieldAccess(name, of: type)
            switch access.type {
            case .array, .set, .dictionary, .string, .data: return .size(access, comparison, size)
            default: throw misfit(name, access, "has no elements")
            }
        case .and(let parts):
            return .and(try parts.map { part throws(StoreError) in try compile(part, depth: depth + 1) })
        case .or(let parts):
            return .or(try parts.map { part throws(StoreError) in try compile(part, depth: depth + 1) })
        case .not(let part): return .not(try compile(part, depth: depth + 1))
        case .found(let found):
            let parts = type.idFields.compactMap(type.fieldIndex(ofID:)).compactMap { fieldIndex in
                KeyComponent(type.fields[fieldIndex].type).map { KeyPart(fieldIndex: fieldIndex, component: $0) }
            }
            return .found(parts, found.keys, isExcluded: found.isExcluded)
        case .inverse(let inverse, _, _, _):
            throw StoreError(
                .invalidValue, "\(inverse.text) tests records other than the \(type.name) itself",
                remedy: "use it in a fetch request")
        case .invalid(let mistake): throw mistake.error
        }
    }

    private func compile(
        _ name: FieldName, _ comparison: Comparison, _ value: DynamicValue
    ) throws(StoreError) -> CompiledCondition {
        let access = try FieldAccess(name, of: type)
        if value == .none {
            if comparison.isOrdering { return .constant(false) }
            guard access.mayBeNone || access.type == .json else { return .constant(comparison == .notEqual) }
            return .isNone(access, comparison == .equal)
        }
        let component = try orderedComponent(name, access)
        let bytes = try encoded(value, access.type, name)
        switch (component, value) {
        case (.signed, .int(let number)): return .signed(access, comparison, number)
        case (.unsigned, .uint(let number)): return .unsigned(access, comparison, number)
        case (.double, .double(let number)): return .double(access, comparison, number.orderedBits)
        case (.escaped, _), (.verbatim, _): return .bytes(access, comparison, bytes)
        default: return .key(access, component, comparison, try key(bytes, component, name))
        }
    }

    private func compile(
        _ left: FieldName, _ comparison: Comparison, _ right: FieldName
    ) throws(StoreError) -> CompiledCondition {
        let first = try FieldAccess(left, of: type)
        let second = try FieldAccess(right, of: type)
        guard first.type == second.type else {
            throw StoreError(
                .invalidValue, "\(type.name).\(left) is \(first.type), but \(right) is \(second.type)",
                remedy: "compare fields of the same type")
        }
        return .fields(first, second, try orderedComponent(left, first), comparison)
    }

    private func compile(_ name: FieldName, _ values: [DynamicValue]) throws(StoreError) -> CompiledCondition {
        let access = try FieldAccess(name, of: type)
        let component = try orderedComponent(name, access)
        var keys = Set<[UInt8]>(minimumCapacity: values.count)
        for value in values where value != .none {
            keys.insert(try key(encoded(value, access.type, name), component, name))
        }
        return .members(access, component, keys, includesNone: values.contains(.none) && access.mayBeNone)
    }

    private func orderedComponent(_ name: FieldName, _ access: FieldAccess) throws(StoreError) -> KeyComponent {
        guard let component = KeyComponent(access.type) else { throw misfit(name, access, "cannot be compared") }
        return component
    }

    private func encoded(_ value: DynamicValue, _ type: FieldType, _ name: FieldName) throws(StoreError) -> [UInt8] {
        do {
            var bytes = ByteWriter(capacity: 64)
            try value.completed(as: type).encode(as: type, to: &bytes)
            return bytes.array()
        } catch {
            throw StoreError(.invalidValue, "\(self.type.name).\(name): \(error.reason)", cause: error)
        }
    }

    private func key(_ bytes: [UInt8], _ component: KeyComponent, _ name: FieldName) throws(StoreError) -> [UInt8] {
        do {
            var key = ByteWriter(capacity: 64)
            unsafe try component.append(bytes.span.bytes, to: &key)
            return key.array()
        } catch {
            throw StoreError(.invalidValue, "\(type.name).\(name): \(error.reason)", cause: error)
        }
    }

    private func misfit(_ name: FieldName, _ access: FieldAccess, _ reason: String) -> StoreError {
        StoreError(.invalidValue, "\(type.name).\(name), of type \(access.type), \(reason)")
    }
}

extension FieldType {
    /// The element type of an array or a set; nil for other types.
    var elementType: FieldType? {
        switch self {
        case .array(let element), .set(let element): element
        default: nil
        }
    }

    /// The element type that conditions test: the element of an array or a set, or the bytes of data.
    package var testedElementType: FieldType? { self == .data ? .uint8 : elementType }
}
