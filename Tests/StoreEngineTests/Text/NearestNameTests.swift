import StoreEngine
import Testing

@Suite struct NearestNameTests {
    private let names = ["celsius", "room", "serial", "serials"]

    @Test(arguments: [
        ("celsuis", "celsius"), ("CELSIUS", "celsius"), ("rom", "room"), ("serial", "serial"), ("serialz", "serial"),
        ("serialss", "serials"),
    ])
    func `The name with the fewest edits is the nearest, and the first of several`(wanted: String, nearest: String) {
        #expect(NearestName.find(wanted, among: names) == nearest)
    }

    @Test(arguments: ["", "z", "temperature", "roomsandserials", String(repeating: "celsius", count: 200_000)])
    func `A name that more than a third of would have to change is near to none`(wanted: String) {
        #expect(NearestName.find(wanted, among: names) == nil)
    }

    @Test func `One letter is near to no other, but to a name that begins so`() {
        #expect(NearestName.find("x", among: ["n", "t"]) == nil)
        #expect(NearestName.find("bad", among: ["id", "n"]) == nil)
        #expect(NearestName.find("n", among: ["t", "n1"]) == "n1")
        #expect(NearestName.find("N", among: ["t", "n"]) == "n")
    }
}
