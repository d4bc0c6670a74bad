/// Where an operation reads or changes a tree.
@safe
enum TreePosition {
    case first
    case last
    case key(UnsafeRawBufferPointer)
}
