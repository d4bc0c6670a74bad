import ModelStoreComponents

/// The element of the page that one component renders, with the actions of its forms.
struct Fragment: Sendable {
    /// Runs with the fields of the submitted form.
    typealias Action = @Sendable (_ fields: [String: String]) async throws -> Void

    /// The element's id in the page.
    let id: String
    /// The element. It contains the places of the descendants' fragments.
    let html: HTML
    /// The actions by name. The forms' buttons carry the names.
    let actions: [String: Action]
}

/// Carries the fragments of a tree up to the component that displays them.
enum FragmentKey: PreferenceKey {
    static let defaultValue: [Fragment] = []

    static func reduce(value: inout [Fragment], nextValue: () -> [Fragment]) { value += nextValue() }
}

/// Carries the title of the page up. The last title that a component sets wins.
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
    ///   - actions: the actions of its forms' buttons.
    mutating func render(_ id: String, _ html: HTML, actions: [String: Fragment.Action] = [:]) {
        preference(FragmentKey.self, [Fragment(id: id, html: html, actions: actions)])
    }
}
