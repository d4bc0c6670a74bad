// Conditions on the elements of arrays and sets.
extension Field where Value: Collection, Value.Element: FieldValue {
    /// Whether an element of the array or set meets a condition: `$0.tags.any { $0.hasPrefix("x") }`.
    ///
    /// - Parameter condition: a closure that receives the token of the element.
    @_disfavoredOverload
    public func any(
        _ condition: (Field<Value.Element, Value.Element>) -> Condition<Value.Element>
    ) -> Condition<Root> { elements(.any, condition(.element)) }

    /// Whether all elements of the array or set meet a condition; true where it is empty.
    ///
    /// - Parameter condition: a closure that receives the token of the element.
    @_disfavoredOverload
    public func all(
        _ condition: (Field<Value.Element, Value.Element>) -> Condition<Value.Element>
    ) -> Condition<Root> { elements(.all, condition(.element)) }
}

extension Field where Value: Collection, Value.Element: EmbeddedValue {
    /// Whether an element of the array or set meets a condition: `$0.places.any { $0.floor > 2 }`.
    ///
    /// - Parameter condition: a closure that receives the tokens of the element's fields.
    public func any(
        _ condition: (Value.Element.Fields) -> Condition<Value.Element>
    ) -> Condition<Root> { elements(.any, condition(Value.Element.fields)) }

    /// Whether all elements of the array or set meet a condition; true where it is empty.
    ///
    /// - Parameter condition: a closure that receives the tokens of the element's fields.
    public func all(
        _ condition: (Value.Element.Fields) -> Condition<Value.Element>
    ) -> Condition<Root> { elements(.all, condition(Value.Element.fields)) }
}

// References: the condition is about the records that the elements refer to. If a reference leads nowhere, all fields of that
// record are nil.
extension Field {
    /// Whether a record that an element of the array or set refers to meets a condition:
    /// `$0.tags.any { $0.name == "new" || Tag.articles.isEmpty }`.
    ///
    /// - Parameter condition: a closure that receives the tokens of that record's fields.
    public func any<Target: Record>(_ condition: (Target.Fields) -> Condition<Target>) -> Condition<Root>
    where Value: Collection, Value.Element == Reference<Target> { elements(.any, condition(Target.fields)) }

    /// Whether all records that elements of the array or set refer to meet a condition; true where it is empty.
    ///
    /// - Parameter condition: a closure that receives the tokens of that record's fields.
    public func all<Target: Record>(_ condition: (Target.Fields) -> Condition<Target>) -> Condition<Root>
    where Value: Collection, Value.Element == Reference<Target> { elements(.all, condition(Target.fields)) }

    /// Whether a record that an element of the array or set refers to meets a condition; false where the array or set is nil.
    ///
    /// - Parameter condition: a closure that receives the tokens of that record's fields.
    public func any<C: Collection, Target: Record>(
        _ condition: (Target.Fields) -> Condition<Target>
    ) -> Condition<Root> where Value == C?, C.Element == Reference<Target> { elements(.any, condition(Target.fields)) }

    /// Whether all records that elements of the array or set refer to meet a condition; false where the array or set is nil.
    ///
    /// - Parameter condition: a closure that receives the tokens of that record's fields.
    public func all<C: Collection, Target: Record>(
        _ condition: (Target.Fields) -> Condition<Target>
    ) -> Condition<Root> where Value == C?, C.Element == Reference<Target> { elements(.all, condition(Target.fields)) }
}

// Optional collections: where the collection is nil, both `any` and `all` are false.
extension Field {
    /// Whether an element of the array or set meets a condition; false where it is nil.
    ///
    /// - Parameter condition: a closure that receives the token of the element.
    @_disfavoredOverload
    public func any<C: Collection>(
        _ condition: (Field<C.Element, C.Element>) -> Condition<C.Element>
    ) -> Condition<Root> where Value == C?, C.Element: FieldValue { elements(.any, condition(.element)) }

    /// Whether all elements of the array or set meet a condition; false where it is nil.
    ///
    /// - Parameter condition: a closure that receives the token of the element.
    @_disfavoredOverload
    public func all<C: Collection>(
        _ condition: (Field<C.Element, C.Element>) -> Condition<C.Element>
    ) -> Condition<Root> where Value == C?, C.Element: FieldValue { elements(.all, condition(.element)) }

    /// Whether an element of the array or set meets a condition; false where it is nil.
    ///
    /// - Parameter condition: a closure that receives the tokens of the element's fields.
    public func any<C: Collection>(
        _ condition: (C.Element.Fields) -> Condition<C.Element>
    ) -> Condition<Root> where Value == C?, C.Element: EmbeddedValue {
        elements(.any, condition(C.Element.fields))
    }

    /// Whether all elements of the array or set meet a condition; false where it is nil.
    ///
    /// - Parameter condition: a closure that receives the tokens of the element's fields.
    public func all<C: Collection>(
        _ condition: (C.Element.Fields) -> Condition<C.Element>
    ) -> Condition<Root> where Value == C?, C.Element: EmbeddedValue {
        elements(.all, condition(C.Element.fields))
    }

    private func elements<Element>(_ test: ElementTest, _ condition: Condition<Element>) -> Condition<Root> {
        Condition(.elements(FieldName(name), test, condition.node))
    }
}

extension Field where Root == Value, Value: FieldValue {
    /// The element of a collection, as a field of itself.
    fileprivate static var element: Field { Field(0, "", get: { $0 }) }
}
