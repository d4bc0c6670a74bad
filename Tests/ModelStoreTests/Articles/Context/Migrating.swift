@Record
struct Person {
    @ID var id: Int
    var given: String
    var family: String
}

let path = "/var/lib/people"
