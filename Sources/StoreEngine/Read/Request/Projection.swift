/// A fetch request for some fields of each record, as one value, a tuple, or a smaller struct. A projection is a value that you
/// can keep and send. Make one with ``FetchRequest/fields(_:)->Projection<R,Value>``.
///
/// ```swift
/// let readings = Sensor.where { $0.room == "kitchen" }.fields { ($0.id, $0.celsius) }
/// for (id, celsius) in try store.read({ try $0.fetch(readings) }) { … }
/// ```
///
/// A fetch decodes these fields only. It does not check the checksum of a record, because the checksum covers the whole record.
public struct Projection<R: Record, Output>: Sendable {
    package var request: Request
    /// Decodes the fields of one record; returns nil when the record's version lacks a field. The second argument holds the
    /// values of fields of other records, one for each of ``followed``.
    @usableFromInline let decode: @Sendable (borrowing FieldDecoder, [[UInt8]]) throws(CodecError) -> Output?
    /// Makes the row from a whole record, which has initial values for the fields that its version lacks.
    @usableFromInline let extract: @Sendable (R, [[UInt8]]) throws(CodecError) -> Output
    /// The requested fields that belong to other records, in their order.
    @usableFromInline let followed: [FollowedField]
    /// The reason why the output does not match the record. Using the projection throws it.
    var misfit: StoreError?

    @usableFromInline
    init(
        _ request: FetchRequest<R>, fields: [String], followed: [FollowedField],
        decode: @escaping @Sendable (borrowing FieldDecoder, [[UInt8]]) throws(CodecError) -> Output?,
        extract: @escaping @Sendable (R, [[UInt8]]) throws(CodecError) -> Output, misfit: StoreError? = nil
    ) {
        self.request = request.request
        self.request.fields = fields.map { FieldName($0) }
        self.decode = decode
        self.extract = extract
        self.followed = followed
        self.misfit = misfit
    }

    /// Creates a projection of the same rows with other closures, and with `field` as an additional field where it is not nil.
    @usableFromInline
    init<Other>(
        like other: Projection<R, Other>, adding field: String? = nil, followed: FollowedField? = nil,
        decode: @escaping @Sendable (borrowing FieldDecoder, [[UInt8]]) throws(CodecError) -> Output?,
        extract: @escaping @Sendable (R, [[UInt8]]) throws(CodecError) -> Output
    ) {
        request = other.request
        if let field { request.fields?.append(FieldName(field)) }
        self.decode = decode
        self.extract = extract
        self.followed = other.followed + (followed.map { [$0] } ?? [])
        misfit = other.misfit
    }

    /// Returns the projection with one more field.
    @inlinable
    func with<Next>(_ field: Field<R, Next>) -> Projection<R, (Output, Next)> {
        let (decode, extract, firstFollowed) = (decode, extract, followed.count)
        return Projection<R, (Output, Next)>(
            like: self, adding: field.name, followed: field.followed,
            decode: { (decoder: borrowing FieldDecoder, followed: [[UInt8]]) throws(CodecError) -> (Output, Next)? in
                var next = firstFollowed
                guard let row = try decode(decoder, followed),
                    let value = try decoder.value(ifThere: field, followed, &next)
                else { return nil }
                return (row, value)
            },
            extract: { (record: R, followed: [[UInt8]]) throws(CodecError) -> (Output, Next) in
                var next = firstFollowed
                return (try extract(record, followed), try field.value(in: record, followed, &next))
            })
    }

    /// Returns the projection with each row passed through `make`.
    @inlinable
    func mapped<Other>(_ make: @escaping @Sendable (Output) -> Other) -> Projection<R, Other> {
        let (decode, extract) = (decode, extract)
        return Projection<R, Other>(
            like: self,
            decode: { (decoder: borrowing FieldDecoder, followed: [[UInt8]]) throws(CodecError) -> Other? in
                guard let row = try decode(decoder, followed) else { return nil }
                return make(row)
            },
            extract: { (record: R, followed: [[UInt8]]) throws(CodecError) -> Other in
                make(try extract(record, followed))
            })
    }

    /// Limits the result to at most `count` rows.
    ///
    /// - Parameter count: not negative.
    public func limit(_ count: Int) -> Projection {
        var result = self
        result.request.limit = count
        return result
    }

    /// Skips the first `count` rows. The fetch still walks the skipped rows.
    ///
    /// - Parameter count: not negative.
    public func offset(_ count: Int) -> Projection {
        var result = self
        result.request.offset = count
        return result
    }

    /// Keeps the first of each set of equal rows, in the request's order.
    ///
    /// Rows are equal where comparisons find their values equal; `-0.0` equals `0.0`. The limit and the offset apply to the
    /// distinct rows. Live queries deliver records, so follow distinct rows with the store's `values(of:_:)`.
    ///
    /// - Complexity: takes memory for each distinct row, except where the request is ordered by exactly these fields.
    public func distinct() -> Projection {
        var result = self
        result.request.isDistinct = true
        return result
    }
}

extension Projection {
    /// The error for a closure that returns no fields.
    @usableFromInline static var noFields: StoreError {
        StoreError(
            .invalidValue, "the closure returns no fields of \(R.recordSchema.name)",
            remedy: "return one field, or a tuple of fields, without other expressions: { ($0.id, $0.name) }")
    }

    /// Creates a projection of one field. It is separate because the compiler crashes where a generic field is passed as a pack
    /// of one.
    @inlinable
    init(_ field: Field<R, Output>, of request: FetchRequest<R>) {
        self.init(
            request, fields: [field.name], followed: field.followed.map { [$0] } ?? [],
            decode: { (decoder: borrowing FieldDecoder, followed: [[UInt8]]) throws(CodecError) -> Output? in
                var next = 0
                return try decoder.value(ifThere: field, followed, &next)
            },
            extract: { (record: R, followed: [[UInt8]]) throws(CodecError) -> Output in
                var next = 0
                return try field.value(in: record, followed, &next)
            })
    }
}

extension FetchRequest {
    /// Selects one field of each record.
    ///
    /// Use this form for one field. The compiler accepts it in more expressions than the form for several fields.
    ///
    /// - Parameter select: a closure that receives the tokens of the record's fields and returns the one to decode.
    @inlinable
    public func fields<Value>(_ select: (R.Fields) -> Field<R, Value>) -> Projection<R, Value> {
        Projection(select(R.fields), of: self)
    }

    /// Selects one field, or a tuple of fields, of each record.
    ///
    /// - Parameter select: a closure that receives the tokens of the record's fields and returns those to decode.
    @inlinable
    public func fields<each Value>(
        _ select: (R.Fields) -> (repeat Field<R, each Value>)
    ) -> Projection<R, (repeat each Value)> {
        let chosen = select(R.fields)
        var names: [String] = []
        var followed: [FollowedField] = []
        for field in repeat each chosen {
            names.append(field.name)
            if let other = field.followed { followed.append(other) }
        }
        // Swift also accepts a closure that returns something else: it treats the result as a tuple of no fields.
        let misfit = names.isEmpty ? Projection<R, Void>.noFields : nil
        return Projection(
            self, fields: names, followed: followed,
            decode: {
                (decoder: borrowing FieldDecoder, followed: [[UInt8]]) throws(CodecError) -> (repeat each Value)? in
                for field in repeat each chosen {
                    if try decoder.lacks(field) { return nil }
                }
                var next = 0
                return try (repeat decoder.value(of: each chosen, followed, &next))
            },
            extract: { (record: R, followed: [[UInt8]]) throws(CodecError) -> (repeat each Value) in
                var next = 0
                return try (repeat (each chosen).value(in: record, followed, &next))
            }, misfit: misfit)
    }

    /// Selects two fields of each record.
    ///
    /// This form gives the same rows as the form for any number of fields, but faster. In that form, the compiled code looks up
    /// the type of each field for each row.
    @inlinable
    public func fields<A, B>(
        _ select: (R.Fields) -> (Field<R, A>, Field<R, B>)
    ) -> Projection<R, (A, B)> {
        let (a, b) = select(R.fields)
        return Projection(a, of: self).with(b)
    }

    /// Selects three fields of each record, as fast as two.
    @inlinable
    public func fields<A, B, C>(
        _ select: (R.Fields) -> (Field<R, A>, Field<R, B>, Field<R, C>)
    ) -> Projection<R, (A, B, C)> {
        let (a, b, c) = select(R.fields)
        return Projection(a, of: self).with(b).with(c).mapped { ($0.0.0, $0.0.1, $0.1) }
    }

    /// Selects four fields of each record, as fast as two.
    @inlinable
    public func fields<A, B, C, D>(
        _ select: (R.Fields) -> (Field<R, A>, Field<R, B>, Field<R, C>, Field<R, D>)
    ) -> Projection<R, (A, B, C, D)> {
        let (a, b, c, d) = select(R.fields)
        return Projection(a, of: self).with(b).with(c).with(d).mapped { ($0.0.0.0, $0.0.0.1, $0.0.1, $0.1) }
    }

    /// Selects some fields of each record and makes a value of them: `.fields(Summary.init) { ($0.id, $0.celsius) }`.
    ///
    /// - Parameters:
    ///   - make: a closure that receives the values and returns the row.
    ///   - select: a closure that receives the tokens of the record's fields and returns those to decode.
    @inlinable
    public func fields<each Value, Output>(
        _ make: @escaping @Sendable (repeat each Value) -> Output,
        _ select: (R.Fields) -> (repeat Field<R, each Value>)
    ) -> Projection<R, Output> {
        let values = fields(select)
        return values.mapped { (row: (repeat each Value)) in make(repeat each row) }
    }

    /// Selects a smaller struct of each record. The struct's properties are some of the record's fields, by name and type.
    ///
    /// - Parameter type: a struct marked `@Embedded`. Using the projection throws ``StoreError`` with the code `unknownField` or
    ///   `invalidValue` where the record has no matching field for a property.
    public func fields<Output: EmbeddedValue>(as type: Output.Type) -> Projection<R, Output> {
        let wanted = Output.embeddedSchema.fields
        let (fieldIndexes, misfit) = Self.fieldIndexes(of: wanted, in: "\(Output.self)")
        return Projection(
            self, fields: wanted.map(\.name), followed: [],
            decode: { (decoder: borrowing FieldDecoder, _: [[UInt8]]) throws(CodecError) -> Output? in
                var slots = fieldIndexes
                if let mapped = decoder.slots {
                    slots = fieldIndexes.map { mapped[Int($0)] }
                    if slots.contains(where: { $0 < 0 }) { return nil }
                }
                do throws(CodecError) {
                    return try Output(from: FieldDecoder(decoder.table, slots: slots))
                } catch {
                    // The struct declares the fields in an order of its own.
                    throw error.movingField { Int(fieldIndexes[$0]) }
                }
            },
            extract: { (record: R, _: [[UInt8]]) throws(CodecError) -> Output in
                var encoder = FieldEncoder()
                encoder.begin(fieldCount: R.recordSchema.fields.count)
                try record.encode(to: &encoder)
                try encoder.finish()
                return try Output(from: FieldDecoder(FieldTable(encoder.tableBytes), slots: fieldIndexes))
            }, misfit: misfit)
    }

    /// Returns the index of each wanted field in the record's declaration.
    private static func fieldIndexes(of wanted: [FieldSchema], in owner: String) -> ([Int32], StoreError?) {
        let schema = R.recordSchema
        var fieldIndexes: [Int32] = []
        for field in wanted {
            guard let fieldIndex = schema.fields.firstIndex(where: { $0.name == field.name }) else {
                let nearest = NearestName.find(field.name, among: schema.fields.map(\.name))
                return (
                    [],
                    StoreError(
                        .unknownField, "\(schema.name) has no field \(field.name), which \(owner) declares",
                        remedy: nearest.map { "did you mean \($0)?" } ?? "use the record's property names")
                )
            }
            guard schema.fields[fieldIndex].type == field.type else {
                return (
                    [],
                    StoreError(
                        .invalidValue,
                        "\(schema.name).\(field.name) is \(schema.fields[fieldIndex].type), but in \(owner) it is \(field.type)",
                        remedy: "give the property the type that it has in the record")
                )
            }
            fieldIndexes.append(Int32(fieldIndex))
        }
        return (fieldIndexes, nil)
    }
}

extension FieldDecoder {
    /// Whether the field belongs to the record itself, and the record's version lacks it.
    @inlinable
    func lacks<R, V>(_ field: Field<R, V>) throws(CodecError) -> Bool {
        if field.isThroughReference { return false }
        return try slot(field.index) == nil
    }

    /// Returns the value of a field, which the record's version must have. For a field of another record, returns the next of the
    /// `followed` values.
    @inlinable
    func value<R, V>(of field: Field<R, V>, _ followed: [[UInt8]], _ next: inout Int) throws(CodecError) -> V {
        guard let value = try value(ifThere: field, followed, &next) else { throw Self.lacking(field.name) }
        return value
    }

    /// Returns the value of a field; nil where the record's version does not have the field.
    @inlinable
    func value<R, V>(
        ifThere field: Field<R, V>, _ followed: [[UInt8]], _ next: inout Int
    ) throws(CodecError) -> V? {
        if field.isThroughReference { return try field.value(followed, &next) }
        guard let slot = try slot(field.index) else { return nil }
        let bytes = try table.field(slot)
        do {
            return try field.decode(bytes)
        } catch {
            throw field.inRecord(error)
        }
    }

    @usableFromInline
    static func lacking(_ name: String) -> CodecError {
        CodecError("the record has a version that lacks field \(name)")
    }
}
