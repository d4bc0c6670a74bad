extension Binding {
    /// Creates a binding to the value of an optional; nil if the optional is nil now.
    ///
    /// ```swift
    /// if let name = Binding($student.nickname) { context.place(NameField(text: name)) }
    /// ```
    ///
    /// If the optional becomes nil later, the binding shows the value that it was created with, and setting it does nothing.
    public init?(_ optional: Binding<Value?>) {
        guard let value = optional.wrappedValue else { return nil }
        self = optional[dynamicMember: \.[fallback: Fallback(value: value)]]
    }
}

extension Binding where Value: MutableCollection, Value.Element: Sendable, Value.Index: Hashable & Sendable {
    /// Bindings to the elements of the collection, in its order.
    ///
    /// ```swift
    /// for row in $rows.elements { context.place(RowField(row: row), id: row.wrappedValue.id) }
    /// $rows.elements.forEach { $row in print(row.title, $row.title) }
    /// ```
    ///
    /// Swift allows `$row` as a parameter, and not in `for $row in`. Each binding belongs to an index. If the collection becomes
    /// too short for it, the binding shows the element that it was created with, and setting it does nothing.
    public var elements: [Binding<Value.Element>] {
        let now = wrappedValue
        return now.indices.map { element($0, now[$0]) }
    }

    /// Returns a binding to the element at an index. See ``elements``.
    ///
    /// - Precondition: the collection has the index now.
    public subscript(index: Value.Index) -> Binding<Value.Element> { element(index, wrappedValue[index]) }

    private func element(_ index: Value.Index, _ now: Value.Element) -> Binding<Value.Element> {
        self[dynamicMember: \.[place: ElementPlace(index: index, fallback: Fallback(value: now))]]
    }
}

/// The value that stands for a missing one. The paths of a binding that differ in it alone are the same.
private struct Fallback<Value: Sendable>: Hashable, Sendable {
    let value: Value

    static func == (left: Fallback, right: Fallback) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

private struct ElementPlace<Index: Hashable & Sendable, Element: Sendable>: Hashable, Sendable {
    let index: Index
    let fallback: Fallback<Element>
}

extension Optional where Wrapped: Sendable {
    fileprivate subscript(fallback fallback: Fallback<Wrapped>) -> Wrapped {
        get { self ?? fallback.value }
        set { if self != nil { self = newValue } }
    }
}

extension MutableCollection where Element: Sendable, Index: Hashable & Sendable {
    fileprivate subscript(place place: ElementPlace<Index, Element>) -> Element {
        get { has(place.index) ? self[place.index] : place.fallback.value }
        set { if has(place.index) { self[place.index] = newValue } }
    }

    private func has(_ index: Index) -> Bool { startIndex <= index && index < endIndex }
}
