import LMDB
import StoreEngine

/// A changed trace with valid checksums.
package enum Resealed {
    /// Returns the trace with recomputed checksums.
    package static func text(_ trace: String) -> String {
        var (result, chunk, check) = ("", "", UInt64(0))
        for line in trace.split(separator: "\n") {
            guard line.hasPrefix(#"{"check":"#) else {
                chunk += line + "\n"
                continue
            }
            check = unsafe XXH64.hash(Array(chunk.utf8).span.bytes, seed: check)
            result += chunk + #"{"check":"\#(String(check, radix: 16))"}"# + "\n"
            chunk = ""
        }
        return result
    }
}
