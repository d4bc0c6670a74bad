import StoreEngine

/// What an effect's last run has read and has to live for its changes to be told, with the pins of the models among it.
struct EffectKeeping {
    private let file: StaticString
    private let line: UInt
    private var kept: [ObjectIdentifier: AnyObject] = [:]
    private var pins: [ObjectIdentifier: PinID] = [:]

    init(_ file: StaticString, _ line: UInt) {
        self.file = file
        self.line = line
    }

    /// Keeps what another run has read instead: what both read stays.
    mutating func become(_ new: [ObjectIdentifier: AnyObject], _ core: StoreCore?) {
        let old = kept
        kept = new
        guard let core else { return }
        for (id, object) in new where pins[id] == nil && object is any RestingObject {
            pins[id] = core.ownership.pin(object, .borrower, by: Scope.currentHolder, file, line)
        }
        for (id, pin) in pins where new[id] == nil {
            core.ownership.unpin(pin)
            pins[id] = nil
        }
        withExtendedLifetime(old) {}
    }

    /// Lets all of it go.
    mutating func end(_ core: StoreCore?) { become([:], core) }
}
