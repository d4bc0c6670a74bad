// The façade: one import provides records, transactions and the macros.
@_exported public import StoreEngine
@_exported public import StoreRuntime
