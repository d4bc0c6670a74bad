func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
