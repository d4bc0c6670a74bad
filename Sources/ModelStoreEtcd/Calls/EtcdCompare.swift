#if Etcd
import Foundation

extension EtcdCompare {
    /// Whether a key has a value.
    static func has(_ key: [UInt8], _ value: [UInt8]) -> EtcdCompare {
        var compare = EtcdCompare()
        compare.target = .value
        compare.key = Data(key)
        compare.value = Data(value)
        return compare
    }

    /// Whether a key does not exist.
    static func isAbsent(_ key: [UInt8]) -> EtcdCompare {
        var compare = EtcdCompare()
        compare.target = .version
        compare.key = Data(key)
        compare.version = 0
        return compare
    }

    /// Whether a key was last changed in a revision.
    static func hasRevision(_ key: [UInt8], _ revision: UInt64) -> EtcdCompare {
        var compare = EtcdCompare()
        compare.target = .mod
        compare.key = Data(key)
        compare.modRevision = Int64(bitPattern: revision)
        return compare
    }
}
#endif
