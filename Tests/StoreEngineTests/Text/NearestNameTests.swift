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
}
