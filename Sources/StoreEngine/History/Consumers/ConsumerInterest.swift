import LMDB

/// The change sets that a consumer wants, as stored beside the consumer. The consumer's lag counts only these.
///
/// It is JSON in the metadata, under the key `consumer.NAME`. A consumer that wants everything but migrations has no such entry:
///
/// ```
/// {"filters":[{"type":"Sale","fields":["amount"],"condition":"amount > 9"}],"skips":{"name":"till","process":12}}
/// ```
///
/// A condition is an expression in the syntax of `store-cli`, or null. `"migrations":true` says that the consumer wants the
/// change sets of migrations too.
package struct ConsumerInterest: Hashable, Sendable {
    /// The stored part of one filter.
    package struct Filter: Hashable, Sendable {
        package let typeName: String
        package let fieldNames: [String]
        package let condition: String?
    }

    /// The filters. If there are none, the consumer wants all changes.
    package let filters: [Filter]
    /// The process whose change sets the consumer does not want.
    package let skippedOrigin: Origin?
    /// Whether the consumer wants the change sets of migrations.
    package let includesMigrations: Bool

    /// The interest of a consumer that wants everything but migrations.
    package static let all = ConsumerInterest([], skippedOrigin: nil)

    package init(_ filters: [FeedFilter], skippedOrigin: Origin?, includesMigrations: Bool = false) {
        self.includesMigrations = includesMigrations
        self.filters = filters.map {
            Filter(typeName: $0.typeName, fieldNames: $0.fieldNames, condition: $0.condition?.text)
        }
        self.skippedOrigin = skippedOrigin
    }

    /// Parses the text of a condition on records of a type; returns nil on failure.
    package typealias ConditionReader = (_ text: String, _ typeName: String, Catalog) -> ConditionNode?

    /// Returns the filters, without conditions that cannot be parsed.
    ///
    /// - Returns: also whether all conditions were parsed. If not, the consumer may want fewer changes than the filters pass.
    package func feedFilters(
        _ catalog: Catalog, _ read: ConditionReader
    ) -> (filters: [FeedFilter], areExact: Bool) {
        var areExact = true
        let filters = filters.map { filter in
            let condition = filter.condition.flatMap { read($0, filter.typeName, catalog) }
            if filter.condition != nil, condition == nil { areExact = false }
            return FeedFilter(typeName: filter.typeName, condition: condition, fieldNames: filter.fieldNames)
        }
        return (filters, areExact)
    }
}

extension ConsumerInterest {
    /// Parses the output of ``json``.
    package init(from bytes: [UInt8]) throws(CodecError) {
        let value: JSONValue
        do {
            value = try JSONReader.read(bytes)
        } catch {
            throw CodecError("a consumer's interest is not JSON: \(error)")
        }
        var filters: [Filter] = []
        for filter in value["filters"]?.array ?? [] {
            guard let type = filter["type"]?.string else { throw CodecError("a consumer's filter has no type") }
            filters.append(
                Filter(
                    typeName: type, fieldNames: filter["fields"]?.array?.compactMap(\.string) ?? [],
                    condition: filter["condition"]?.string))
        }
        self.filters = filters
        includesMigrations = value["migrations"]?.bool ?? false
        if let name = value["skips"]?["name"]?.string, let process = value["skips"]?["process"]?.number?.int64 {
            skippedOrigin = Origin(name: name, processID: Int32(truncatingIfNeeded: process))
        } else {
            skippedOrigin = nil
        }
    }

    /// The interest as JSON.
    package var json: [UInt8] {
        let filters = filters.map { filter in
            JSONValue.object([
                JSONMember("type", .string(filter.typeName)),
                JSONMember("fields", .array(filter.fieldNames.map { .string($0) })),
                JSONMember("condition", filter.condition.map { .string($0) } ?? .null),
            ])
        }
        var members = [JSONMember("filters", .array(filters))]
        if let origin = skippedOrigin {
            let skipped = [
                JSONMember("name", .string(origin.name)),
                JSONMember("process", .number(JSONNumber(Int64(origin.processID)))),
            ]
            members.append(JSONMember("skips", .object(skipped)))
        }
        if includesMigrations { members.append(JSONMember("migrations", .bool(true))) }
        return JSONWriter.bytes(of: .object(members))
    }
}

extension ReadContext {
    /// Returns the interest of a consumer.
    package func interest(ofConsumer name: String) throws(StoreError) -> ConsumerInterest {
        let key = MetadataKey.interest(consumer: name)
        guard let bytes = unsafe try value(state.databases.metadata, key: key.span.bytes) else { return .all }
        do {
            return try ConsumerInterest(from: bytes.array())
        } catch {
            throw StoreError(error, at: "the consumer \(name)")
        }
    }
}

extension WriteTransaction {
    /// Stores the interest of a consumer. This write is not a change, and gets no change set.
    package mutating func put(_ interest: ConsumerInterest, ofConsumer name: String) throws(StoreError) {
        let key = MetadataKey.interest(consumer: name)
        do {
            if interest == .all {
                _ = unsafe try raw.delete(state.databases.metadata, key: key.span.bytes)
            } else {
                let json = interest.json
                unsafe try raw.put(state.databases.metadata, key: key.span.bytes, value: json.span.bytes)
            }
        } catch {
            throw fail(error)
        }
        didKeepHouse = true
        writtenConsumers.insert(name)
    }
}
