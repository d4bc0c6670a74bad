// Common mistakes in conditions. The operators and methods of these protocols accept any value, so a wrong condition still has a
// type. Fields and calculations conform to them unavailably: the compiler reports the conformance at the mistake, with a message
// that says what to write instead.
//
// Without these protocols, the type checker finds no type for the condition and searches for the smallest change that gives it
// one. It first tries the `&&` of `Bool`, and under it the operators of all modules in every term. After 10 seconds it gives up
// without reporting a source location. Unavailable operators would not help, because the type checker ignores them until that
// search.

/// A field or a calculation that is compared with a value of another type.
public protocol _ComparedWithAnything<Root> {
    associatedtype Root
}

/// A field or a calculation to the right of the value that it is compared with.
public protocol _ComparedInReverse<Root> {
    associatedtype Root
}

/// A field or a calculation in arithmetic with an operand that is not a number.
public protocol _CalculatedWithAnything<Root> {
    associatedtype Root
}

/// A field that is compared by order although values of its type have none.
public protocol _OrderedWithoutOrder<Root> {
    associatedtype Root
    associatedtype Value
}

/// A field or a calculation with a minus sign before it.
public protocol _Negated<Root> {
    associatedtype Root
}

/// A field or a calculation that is used as a condition.
public protocol _UsedAsCondition<Root> {
    associatedtype Root
}

/// A result of arithmetic on a field or a calculation that is used as a condition.
public protocol _CalculatedAsCondition<Root> {
    associatedtype Root
}

/// A field or a calculation in a bitwise operation.
public protocol _CombinedByBits<Root> {
    associatedtype Root
}

/// A field as the argument of a collection's `contains`.
public protocol _SoughtInValues<Root> {
    associatedtype Root
}

/// A field that is tested for an element or a text that it cannot have.
public protocol _AskedForAnything<Root> {
    associatedtype Root
}

/// A field that is converted to another number type.
public protocol _Converted {}

@available(
    *, unavailable,
    message: """
        compare a field with a value of its type: .north for an enum, Double(limit) for a Double, Reference(to: room) for a \
        reference, nil only for an optional; compare numbers of two types by a calculation, as in $0.price - $0.stock > 0
        """
)
extension Field: _ComparedWithAnything {}

@available(*, unavailable, message: "write the field first, as in $0.celsius > 30")
extension Field: _ComparedInReverse {}

@available(
    *, unavailable,
    message: """
        values of this type have no order: compare them with == or in, or conform an enum to IndexableValue and Comparable
        """
)
extension Field: _OrderedWithoutOrder {}

@available(*, unavailable, message: "calculate with numbers and with fields that are numbers")
extension Field: _CalculatedWithAnything {}

@available(*, unavailable, message: "a field cannot have a minus sign: write 0 - $0.balance")
extension Field: _Negated {}

@available(*, unavailable, message: "compare the flag: write $0.isOpen == false")
extension Field: _UsedAsCondition {}

@available(*, unavailable, message: "a calculation is not a condition: compare it, as in $0.used * 2 > 30")
extension Field: _CalculatedAsCondition {}

@available(*, unavailable, message: "conditions have no bit operators: calculate with +, -, *, / and %")
extension Field: _CombinedByBits {}

@available(*, unavailable, message: "write the field first, as in $0.id.in([1, 2])")
extension Field: _SoughtInValues {}

@available(
    *, unavailable,
    message: "the field cannot contain this value: test for an element of its type, or for a text in a text"
)
extension Field: _AskedForAnything {}

@available(*, unavailable, message: "leave out the conversion: fields of different number types calculate together")
extension Field: _Converted {}

@available(*, unavailable, message: "compare a calculation with a number, or with a field that is a number")
extension Calculation: _ComparedWithAnything {}

@available(*, unavailable, message: "write the calculation first, as in $0.used * 2 > 30")
extension Calculation: _ComparedInReverse {}

@available(*, unavailable, message: "calculate with numbers and with fields that are numbers")
extension Calculation: _CalculatedWithAnything {}

@available(*, unavailable, message: "a calculation cannot have a minus sign: write 0 - ($0.income * 2)")
extension Calculation: _Negated {}

@available(*, unavailable, message: "a calculation is not a condition: compare it, as in $0.used * 2 > 30")
extension Calculation: _CalculatedAsCondition {}

@available(*, unavailable, message: "conditions have no bit operators: calculate with +, -, *, / and %")
extension Calculation: _CombinedByBits {}

/// The body of operators that no program can call.
func refused<Value>() -> Value { fatalError("the conformance that leads here is unavailable") }
