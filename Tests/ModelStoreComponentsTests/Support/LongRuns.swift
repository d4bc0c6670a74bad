import Foundation
import ModelStoreComponents

/// Whether tests run as long as they say that they can.
enum LongRuns {
    static let isEnabled = ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1"
}

enum ScaleKey: EnvironmentKey {
    static let defaultValue = 1.0
}

extension EnvironmentValues {
    var scale: Double {
        get { self[ScaleKey.self] }
        set { self[ScaleKey.self] = newValue }
    }
}
