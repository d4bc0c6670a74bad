import ModelStore

/// Whether a network interface can carry traffic: RFC 2863's operational state, in the kernel's words.
enum InterfaceState: String, FieldValue, CaseIterable {
    case unknown
    case notPresent = "notpresent"
    case down
    case lowerLayerDown = "lowerlayerdown"
    case testing
    case dormant
    case up
}
