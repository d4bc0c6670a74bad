import ModelStoreComponents

/// A field for the filter, which an ancestor provides.
@Component
struct FilterForm: Equatable {
    static let id = "filter"

    @EnvironmentObject var filter: Filter

    func update(_ context: inout ComponentContext) {
        let filter = filter
        context.render(
            Self.id,
            .form(
                of: Self.id, .element("input", ["name": "text", "placeholder": "sensor", "value": filter.text]),
                .button("apply", "Filter")),
            actions: ["apply": { fields in filter.text = fields["text"] ?? "" }])
    }
}
