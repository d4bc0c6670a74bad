import Foundation
import LMDB

/// The text of an error as a part of another message: without a code in front and a full stop at its end.
package enum ErrorText {
    /// What an error of any kind says.
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

    // Foundation's own words name the file again, and leave out what the system said.
    private static func reason(_ error: CocoaError) -> String {
        guard let below = error.underlying as? POSIXError else { return error.localizedDescription }
        return unsafe strerror(below.code.rawValue).map { unsafe String(cString: $0) } ?? below.localizedDescription
    }
}
