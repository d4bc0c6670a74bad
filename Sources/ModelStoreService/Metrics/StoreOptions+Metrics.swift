#if Metrics
import Metrics
public import ModelStore

extension StoreOptions {
    /// Counts the events of the store, in addition to the current ``/ModelStore/StoreOptions/onEvent``.
    ///
    /// - Parameter metrics: the store's metrics.
    public mutating func countEvents(with metrics: StoreMetrics) {
        let before = onEvent
        onEvent = { event in
            before?(event)
            metrics.count(event)
        }
    }
}

extension ConsumerOptions {
    /// Counts change sets that failed or were skipped, in addition to the current ``/ModelStore/ConsumerOptions/onEvent``.
    ///
    /// - Parameters:
    ///   - name: the consumer's name, for the dimension `consumer`.
    ///   - metrics: the store's metrics.
    public mutating func countEvents(of name: String, with metrics: StoreMetrics) {
        let retries = metrics.counter("consumer_retries", consumer: name)
        let skips = metrics.counter("consumer_skips", consumer: name)
        let before = onEvent
        onEvent = { event in
            before(event)
            switch event {
            case .failed: retries.increment()
            case .skipped: skips.increment()
            case .waiting, .active, .interrupted, .gaveUp, .expired, .ended: break
            }
        }
    }
}
#endif
