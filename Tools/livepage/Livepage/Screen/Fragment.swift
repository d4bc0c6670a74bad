import ModelStoreComponents

/// The element of the page that one component renders, with the actions of its forms.
struct Fragment: Sendable {
    /// Runs with the fields of the form that was sent.
    typealias Action = @Sendable (_ fields: [String: String]) async throws -> Void

    /// The element's id in the page.
    let id: String
    /// The element. It holds the places of the fragments of the components below.
    let html: HTML
    /// The actions by their names, which the forms' buttons carry.
    let actions: [String: Action]
}

/// Carries the fragments of a tree up to the component that shows them.
enum FragmentKey: PreferenceKey {
    static let defaultValue: [Fragment] = []

    static func reduce(value: inout [Fragment], nextValue: () -> [Fragment]) { value += nextValue() }
}

/// Carries the title of the page up: the last one that a component gives.
enum TitleKey: PreferenceKey {
    static let defaultValue = "Board"

    static func reduce(value: inout String, nextValue: () -> String) { value = nextValue() }
}

extension ComponentContext {
    /// Renders the component as an element of the page.
    ///
    /// - Parameters:
    ///   - id: the element's id, which must differ from that of every other fragment.
    ///   - html: the element.
    ///   - actions: what the buttons of its forms do.
    mutating func render(_ id: String, _ html: HTML, actions: [String: Fragment.Action] = [:]) {
        preference(FragmentKey.self, [Fragment(id: id, html: html, actions: actions)])
    }
}
