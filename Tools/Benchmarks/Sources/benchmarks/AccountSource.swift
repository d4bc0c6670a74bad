/// Makes accounts, the same ones in every run.
struct AccountSource {
    private var random = SplitMix64(state: 2_026)
    private var nextID = 1

    private static let givenNames = ["Ada", "Boris", "Chiara", "Dmitri", "Elif", "Farid", "Grace", "Hiroko", "Ines"]
    private static let familyNames = ["Lovelace", "Novak", "Rossi", "Ivanov", "Yılmaz", "Haddad", "Hopper", "Sato"]
    private static let regions = ["north", "east", "south", "west", "center", "islands", "abroad"]

    /// Returns the next accounts in the order of their ids, which continue those of earlier calls.
    mutating func next(_ count: Int) -> [Account] {
        let first = nextID
        nextID += count
        return (first..<nextID).map { makeAccount($0) }
    }

    private mutating func makeAccount(_ id: Int) -> Account {
        let given = Self.givenNames[Int(random.next() % UInt64(Self.givenNames.count))]
        let family = Self.familyNames[Int(random.next() % UInt64(Self.familyNames.count))]
        // The id makes the email unique. The number before it makes the order of emails random.
        let email = "\(String(random.next() >> 24, radix: 36)).\(id)@example.com"
        return Account(
            id: id, email: email, name: "\(given) \(family)", balance: Int(random.next() % 1_000_000),
            region: Self.regions[Int(random.next() % UInt64(Self.regions.count))])
    }
}

/// A small generator with a fixed seed (Steele, Lea and Flood, 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
