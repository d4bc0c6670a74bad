#if Metrics
import Metrics
public import ModelStore

extension StoreOptions {
    /// Has what happens to the store counted too, besides what ``onEvent`` does already.
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
    /// Has change sets counted that failed or were left out, besides what ``onEvent`` does already.
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
            case .waiting, .active, .expired, .ended: break
            }
        }
    }
}
#endif
