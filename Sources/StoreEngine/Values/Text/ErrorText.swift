import Foundation
import LMDB

/// Formats an error as a part of another message, without a code in front and without a full stop at the end.
package enum ErrorText {
    /// Returns the text of an error of any kind.
    package static func of(_ error: any Error) -> String {
        var text =
            switch error {
            case let error as StoreError: error.text
            case let error as LMDBError: error.text
            case let error as CocoaError: reason(error)
            default: "\(error)"
            }
        while text.last == "." { text.removeLast() }
        return text
    }

    // Foundation's description repeats the name of the file and omits the reason that the system gave.
    private static func reason(_ error: CocoaError) -> String {
        guard let below = error.underlying as? POSIXError else { return error.localizedDescription }
        return unsafe strerror(below.code.rawValue).map { unsafe String(cString: $0) } ?? below.localizedDescription
    }
}
