#if Etcd
import Foundation

extension EtcdRequestOp {
    static func get(_ key: [UInt8]) -> EtcdRequestOp {
        var operation = EtcdRequestOp()
        operation.requestRange.key = Data(key)
        return operation
    }

    /// Reads the keys from one to before another.
    ///
    /// - Parameter limit: the most keys; 0 for no limit.
    static func range(_ key: [UInt8], _ end: [UInt8], limit: Int) -> EtcdRequestOp {
        var operation = EtcdRequestOp()
        operation.requestRange.key = Data(key)
        operation.requestRange.rangeEnd = Data(end)
        operation.requestRange.limit = Int64(limit)
        return operation
    }

    static func put(_ key: [UInt8], _ value: [UInt8], lease: Int64 = 0) -> EtcdRequestOp {
        var operation = EtcdRequestOp()
        operation.requestPut.key = Data(key)
        operation.requestPut.value = Data(value)
        operation.requestPut.lease = lease
        return operation
    }

    /// Removes a key, or the keys from it to before another.
    static func remove(_ key: [UInt8], _ end: [UInt8] = []) -> EtcdRequestOp {
        var operation = EtcdRequestOp()
        operation.requestDeleteRange.key = Data(key)
        operation.requestDeleteRange.rangeEnd = Data(end)
        return operation
    }
}
#endif
