/// A page at one moment: its title, and the elements of its fragments.
struct Screen: Sendable, Equatable {
    /// The id of the outermost fragment.
    static let root = "board"

    private(set) var title = ""
    /// The elements, by the ids of their fragments.
    private var elements: [String: HTML] = [:]
    /// Rises with each change.
    private(set) var version = 0

    /// Replaces all fragments.
    mutating func show(_ fragments: [Fragment]) {
        let new = Dictionary(fragments.map { ($0.id, $0.html) }) { first, _ in first }
        if new == elements { return }
        elements = new
        version += 1
    }

    /// Replaces the title.
    mutating func show(title new: String) {
        if new == title { return }
        title = new
        version += 1
    }

    /// The whole page.
    var html: String { markup(Self.root) }

    /// Returns the patches that update a page from an older screen to this one. A patch of a fragment includes the fragments
    /// within it.
    func patches(since old: Screen) -> [Patch] {
        var patches: [Patch] = []
        compare(Self.root, with: old, &patches)
        return patches
    }

    /// The patch that replaces the whole page.
    var whole: Patch { Patch(id: Self.root, html: html) }

    private func compare(_ id: String, with old: Screen, _ patches: inout [Patch]) {
        guard let new = elements[id] else { return }
        let inner = new.fragmentIDs
        // A fragment that appears or disappears within the element does not change the element itself, so check for it.
        let isSame =
            old.elements[id] == new
            && inner.allSatisfy { (old.elements[$0] == nil) == (elements[$0] == nil) }
        guard isSame else { return patches.append(Patch(id: id, html: markup(id))) }
        for id in inner { compare(id, with: old, &patches) }
    }

    private func markup(_ id: String) -> String {
        var page = ""
        HTML.fragment(id).write(to: &page) { id in elements[id]?.with("id", id) }
        return page
    }
}

/// An element that replaces the one with the same id.
struct Patch: Encodable, Equatable {
    let id: String
    let html: String
}
