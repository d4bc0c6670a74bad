import SwiftSyntax

/// A type whose spelling shows that it cannot be stored.
///
/// It is reported here, because the compiler would report it inside the expansion, on a line that is not in the source. The
/// compiler checks all other types.
struct UnsupportedType {
    let node: TypeSyntax
    let advice: String
    /// A storable replacement.
    let replacement: String?

    private init(_ node: TypeSyntax, _ advice: String, replacement: String? = nil) {
        self.node = node
        self.advice = advice
        self.replacement = replacement
    }

    /// Returns the first unsupported type inside a type, from the outside in.
    static func first(in type: TypeSyntax) -> UnsupportedType? {
        switch type.as(TypeSyntaxEnum.self) {
        case .functionType: return UnsupportedType(type, "the store cannot hold functions; mark it '@Transient'")
        case .tupleType(let tuple):
            guard tuple.elements.count == 1, let element = tuple.elements.first else {
                return UnsupportedType(type, "use a struct marked '@Embedded'")
            }
            return first(in: element.type)
        case .someOrAnyType, .compositionType, .suppressedType, .classRestrictionType:
            return UnsupportedType(type, "a field has one concrete type; use an enum that is Codable for alternatives")
        case .metatypeType: return UnsupportedType(type, "the store cannot hold types")
        case .implicitlyUnwrappedOptionalType(let optional):
            let wrapped = optional.wrappedType.trimmedDescription
            return UnsupportedType(type, "use '\(wrapped)?'", replacement: "\(wrapped)?")
        case .inlineArrayType(let array):
            let element = array.element.argument.trimmedDescription
            return UnsupportedType(type, "use '[\(element)]'", replacement: "[\(element)]")
        case .optionalType(let optional): return nestedOptional(type) ?? first(in: optional.wrappedType)
        case .arrayType(let array): return first(in: array.element)
        case .dictionaryType(let dictionary): return first(in: dictionary.key) ?? first(in: dictionary.value)
        case .attributedType(let attributed):
            if let specifier = attributed.specifiers.first {
                return UnsupportedType(type, "'\(specifier.trimmedDescription)' is for parameters")
            }
            return first(in: attributed.baseType)
        case .identifierType, .memberType:
            return nestedOptional(type) ?? named(type) ?? type.genericArguments.lazy.compactMap(first).first
        default: return nil
        }
    }

    /// Returns an error for an optional of an optional. Tools without the Swift types could not tell which of the two is nil.
    private static func nestedOptional(_ type: TypeSyntax) -> UnsupportedType? {
        guard type.isOptional, type.unwrappedOptional.isOptional else { return nil }
        var wrapped = type
        while wrapped.isOptional { wrapped = wrapped.unwrappedOptional }
        let replacement = "\(wrapped.trimmedDescription)?"
        return UnsupportedType(
            type, "use '\(replacement)', or an enum with a case for each meaning", replacement: replacement)
    }

    private static func named(_ type: TypeSyntax) -> UnsupportedType? {
        guard let name = type.baseTypeName else { return nil }
        if let replacement = replacements[name] {
            return UnsupportedType(type, "use '\(replacement)'", replacement: replacement)
        }
        switch name {
        case "Any", "AnyObject", "AnyHashable", "AnyClass", "Codable", "Encodable", "Decodable", "Error", "Sendable",
            "Equatable", "Hashable", "Comparable":
            return UnsupportedType(type, "a field has one concrete type; use an enum that is Codable for alternatives")
        case "Void", "Never": return UnsupportedType(type, "it holds no value")
        case "OpaquePointer", "KeyPath", "WritableKeyPath", "ReferenceWritableKeyPath", "PartialKeyPath", "AnyKeyPath",
            "Task", "Mutex", "Atomic", "Unmanaged":
            return UnsupportedType(type, "it is valid only in this process; mark it '@Transient'")
        case _ where name.hasPrefix("Unsafe"):
            return UnsupportedType(type, "it is valid only in this process; mark it '@Transient'")
        default: return nil
        }
    }

    /// Types with a storable replacement. Float16 and Float80 do not exist on every platform that may read the store.
    private static let replacements = [
        "Character": "String", "Substring": "String", "StaticString": "String", "NSString": "String",
        "CGFloat": "Double", "Float80": "Double", "NSNumber": "Double", "Float16": "Float",
        "NSDate": "Date", "NSData": "Data", "NSURL": "URL", "NSUUID": "UUID", "NSDecimalNumber": "Decimal",
    ]
}
