import StoreEngine

/// The objects that an effect's last run read, with the pins of the models among them. The objects must stay alive for their
/// changes to be delivered.
struct EffectKeeping {
    private let file: StaticString
    private let line: UInt
    private var kept: [ObjectIdentifier: AnyObject] = [:]
    private var pins: [ObjectIdentifier: PinID] = [:]

    init(_ file: StaticString, _ line: UInt) {
        self.file = file
        self.line = line
    }

    /// Keeps the objects that another run read in place of the previous ones. An object that both runs read stays.
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

    /// Releases all objects.
    mutating func end(_ core: StoreCore?) { become([:], core) }
}
