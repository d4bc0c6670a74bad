import ModelStoreComponents

/// A type of values with which generic code goes wrong, and some of its values. Each differs from the next, as the last does from
/// the first.
protocol Sample: SendableMetatype {
    associatedtype Value: Sendable

    static var values: [Value] { get }

    /// Returns whether two values are the same in every respect. `==` may say something else.
    static func areSame(_ left: Value, _ right: Value) -> Bool
}

extension Sample {
    /// Returns the number of a value among those of the type; -1 if it is none of them.
    static func number(of value: Value) -> Int { values.firstIndex { areSame($0, value) } ?? -1 }

    /// The numbers of all values, beginning with the second.
    static var numbers: [Int] { Array(1..<values.count) + [0] }
}

/// A record of a list whose `==` compares only ids.
struct TitledRow: Sendable, Equatable, Hashable {
    let id: Int
    var title: String

    static func == (left: TitledRow, right: TitledRow) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An object whose `==` compares only ids.
final class TitledItem: Sendable, Equatable {
    let id: Int
    let title: String

    init(_ id: Int, _ title: String) {
        self.id = id
        self.title = title
    }

    static func == (left: TitledItem, right: TitledItem) -> Bool { left.id == right.id }
}

struct Spot: Sendable, Equatable {
    var x: Double
}

struct NamedValue: Sendable, Equatable {
    var name: String
}

enum RowShape: Sendable, Equatable {
    case none
    case row(TitledRow)
}

protocol Figure: Sendable {
    var corners: Int { get }
}

struct Polygon: Figure { let corners: Int }

private let (old, new) = (TitledRow(id: 1, title: "old"), TitledRow(id: 1, title: "new"))

/// Values that are equal by `==`, and not the same.
enum EqualRows: Sample {
    static var values: [TitledRow] { [old, new] }
    static func areSame(_ left: TitledRow, _ right: TitledRow) -> Bool { left.title == right.title }
}

enum EqualObjects: Sample {
    static let values = [TitledItem(1, "old"), TitledItem(1, "new")]
    static func areSame(_ left: TitledItem, _ right: TitledItem) -> Bool { left === right }
}

enum Zeros: Sample {
    static var values: [Spot] { [Spot(x: 0), Spot(x: -0.0)] }
    static func areSame(_ left: Spot, _ right: Spot) -> Bool { left.x.sign == right.x.sign }
}

enum NormalForms: Sample {
    static var values: [NamedValue] { [NamedValue(name: "\u{E9}"), NamedValue(name: "e\u{301}")] }
    static func areSame(_ left: NamedValue, _ right: NamedValue) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
    }
}

enum EqualPayloads: Sample {
    static var values: [RowShape] { [.row(old), .row(new)] }
    static func areSame(_ left: RowShape, _ right: RowShape) -> Bool { "\(left)" == "\(right)" }
}

enum EqualElements: Sample {
    static var values: [[TitledRow]] { [[old], [new]] }
    static func areSame(_ left: [TitledRow], _ right: [TitledRow]) -> Bool { left.map(\.title) == right.map(\.title) }
}

enum EqualArraysOfObjects: Sample {
    static var values: [[TitledItem]] { EqualObjects.values.map { [$0] } }
    static func areSame(_ left: [TitledItem], _ right: [TitledItem]) -> Bool { left.map(\.title) == right.map(\.title) }
}

enum EqualSets: Sample {
    static var values: [Set<TitledRow>] { [[old], [new]] }
    static func areSame(_ left: Set<TitledRow>, _ right: Set<TitledRow>) -> Bool {
        left.map(\.title) == right.map(\.title)
    }
}

enum EqualDictionaries: Sample {
    static var values: [[String: TitledRow]] { [["a": old], ["a": new]] }
    static func areSame(_ left: [String: TitledRow], _ right: [String: TitledRow]) -> Bool {
        left["a"]?.title == right["a"]?.title
    }
}

enum EqualOptionals: Sample {
    static var values: [TitledRow?] { [old, new] }
    static func areSame(_ left: TitledRow?, _ right: TitledRow?) -> Bool { left?.title == right?.title }
}

/// Values of types that casts treat in a special way.
enum Optionals: Sample {
    static var values: [Int?] { [5, nil, 7] }
    static func areSame(_ left: Int?, _ right: Int?) -> Bool { left == right }
}

enum EmptyOptionals: Sample {
    static var values: [Int?] { [nil, 7] }
    static func areSame(_ left: Int?, _ right: Int?) -> Bool { left == right }
}

enum NestedOptionals: Sample {
    static var values: [Int??] { [.some(nil), nil, 5] }
    static func areSame(_ left: Int??, _ right: Int??) -> Bool { left == right }
}

enum Existentials: Sample {
    static var values: [any Figure] { [Polygon(corners: 3), Polygon(corners: 4)] }
    static func areSame(_ left: any Figure, _ right: any Figure) -> Bool { left.corners == right.corners }
}

enum OptionalExistentials: Sample {
    static var values: [(any Figure)?] { [Polygon(corners: 3), nil, Polygon(corners: 4)] }
    static func areSame(_ left: (any Figure)?, _ right: (any Figure)?) -> Bool { left?.corners == right?.corners }
}

/// A kind of values, as the argument of a test.
struct SampleKind: Sendable {
    let type: any Sample.Type

    static let equal = [
        SampleKind(type: EqualRows.self), SampleKind(type: EqualObjects.self), SampleKind(type: Zeros.self),
        SampleKind(type: NormalForms.self), SampleKind(type: EqualPayloads.self), SampleKind(type: EqualElements.self),
        SampleKind(type: EqualArraysOfObjects.self), SampleKind(type: EqualSets.self),
        SampleKind(type: EqualDictionaries.self), SampleKind(type: EqualOptionals.self),
    ]
    static let cast = [
        SampleKind(type: Optionals.self), SampleKind(type: EmptyOptionals.self), SampleKind(type: NestedOptionals.self),
        SampleKind(type: Existentials.self), SampleKind(type: OptionalExistentials.self),
    ]
    static let all = equal + cast
}

/// Stands for a sample in key paths of the environment.
struct SampleName<S: Sample>: Hashable, Sendable {}

enum SampleEnvironment<S: Sample>: EnvironmentKey {
    static var defaultValue: S.Value { S.values[0] }
}

extension EnvironmentValues {
    subscript<S: Sample>(name: SampleName<S>) -> S.Value {
        get { self[SampleEnvironment<S>.self] }
        set { self[SampleEnvironment<S>.self] = newValue }
    }
}

enum SamplePreference<S: Sample>: PreferenceKey {
    static var defaultValue: S.Value { S.values[0] }
    static func reduce(value: inout S.Value, nextValue: () -> S.Value) { value = nextValue() }
}
