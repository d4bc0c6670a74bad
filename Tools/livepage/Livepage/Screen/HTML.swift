/// A piece of a page as a value. Writing it escapes every text and every attribute value.
enum HTML: Sendable, Equatable {
    case text(String)
    case node(name: String, attributes: [String: String], content: [HTML])
    /// The place of a ``Fragment`` that another component renders, by the fragment's id.
    case fragment(String)

    /// Elements that have neither content nor an end tag.
    private static let voidElements: Set = ["br", "input"]

    /// Returns an element with its attributes and its content.
    static func element(_ name: String, _ attributes: [String: String] = [:], _ content: HTML...) -> HTML {
        .node(name: name, attributes: attributes, content: content)
    }

    /// Returns the same element with one more attribute.
    func with(_ attribute: String, _ value: String) -> HTML {
        guard case .node(let name, var attributes, let content) = self else { return self }
        attributes[attribute] = value
        return .node(name: name, attributes: attributes, content: content)
    }

    /// The ids of the fragments with a place in this piece, in page order.
    var fragmentIDs: [String] {
        switch self {
        case .text: []
        case .node(_, _, let content): content.flatMap(\.fragmentIDs)
        case .fragment(let id): [id]
        }
    }

    /// Appends the piece to a page, with attributes in the order of their names.
    ///
    /// - Parameter fragment: returns the piece for the place of a fragment; nil leaves the place empty.
    func write(to page: inout String, fragment: (String) -> HTML?) {
        switch self {
        case .text(let text): page += Self.escaped(text)
        case .fragment(let id): fragment(id)?.write(to: &page, fragment: fragment)
        case .node(let name, let attributes, let content):
            page += "<\(name)"
            for (attribute, value) in attributes.sorted(by: { $0.key < $1.key }) {
                page += " \(attribute)=\"\(Self.escaped(value))\""
            }
            page += ">"
            if Self.voidElements.contains(name) { return }
            for piece in content { piece.write(to: &page, fragment: fragment) }
            page += "</\(name)>"
        }
    }

    /// Returns a text as HTML, also for use within quotation marks.
    static func escaped(_ text: String) -> String {
        // By scalars: in a Swift character, a combining mark hides the quotation mark before it.
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

// A text can be written as a literal.
extension HTML: ExpressibleByStringInterpolation {
    init(stringLiteral text: String) { self = .text(text) }
}

extension HTML {
    /// Returns a form whose buttons run the actions of a fragment.
    static func form(of fragment: String, _ content: HTML...) -> HTML {
        let name = element("input", ["type": "hidden", "name": "_fragment", "value": fragment])
        return .node(name: "form", attributes: ["method": "post", "action": "actions"], content: [name] + content)
    }

    /// Returns a button that submits its form and runs an action with the form's fields.
    static func button(_ action: String, _ title: String) -> HTML {
        element("button", ["name": "_action", "value": action], .text(title))
    }
}
