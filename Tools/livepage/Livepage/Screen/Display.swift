import ModelStoreComponents
import Synchronization

/// The screen of one tab, and the actions of the forms on it.
///
/// - `actions` is protected by its mutex.
final class Display: Sendable {
    private typealias Actions = [String: [String: Fragment.Action]]

    /// The screen. Its values hold no actions, so a slow client keeps no objects of the components alive.
    let screen = Subject(Screen())
    private let actions = Mutex<Actions>([:])

    /// Replaces the fragments.
    func show(_ fragments: [Fragment]) {
        var new = Actions(fragments.map { ($0.id, $0.actions) }) { first, _ in first }
        // The old actions, and the objects that they keep, are released after the mutex is unlocked.
        actions.withLock { swap(&$0, &new) }
        screen.update { $0.show(fragments) }
    }

    /// Replaces the title.
    func show(title: String) { screen.update { $0.show(title: title) } }

    /// Returns an action of a fragment that is on the screen.
    func action(_ name: String, of fragment: String) -> Fragment.Action? { actions.withLock { $0[fragment]?[name] } }
}
