import Foundation
import StoreEngine
import Testing

@Suite("JSON round trips")
struct JSONRoundTripTests {
    @Test("random values read back equal in both layouts", arguments: 0..<8)
    func roundTrip(seed: UInt64) throws {
        var generator = JSONValueGenerator(seed: seed)
        for _ in 0..<600 {
            let value = generator.value()
            for layout in [JSONWriter.Layout.compact, .pretty] {
                let bytes = JSONWriter.bytes(of: value, layout: layout)
                let back = try JSONReader.read(bytes)
                #expect(back == value, "seed \(seed)")
                #expect(back.hashValue == value.hashValue)
                if layout == .compact { #expect(!bytes.contains(0x0A)) }
            }
        }
    }

    @Test("mutated bytes give a value or an error, never a crash", arguments: 0..<8)
    func mutations(seed: UInt64) {
        var generator = JSONValueGenerator(seed: seed ^ 0xABCD)
        let pieces = Array("{}[]\",:\\u0D8eE+-.\n".utf8) + [0, 0x1F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
        for _ in 0..<2_000 {
            var bytes = JSONWriter.bytes(of: generator.value(depth: 2))
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.insert(pieces.randomElement(using: &generator) ?? 0, at: place)
                case 1: bytes.removeSubrange(place..<min(place + 2, bytes.count))
                default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
                }
            }
            do {
                let value = try JSONReader.read(bytes)
                #expect((try? JSONReader.read(JSONWriter.bytes(of: value))) == value, "seed \(seed)")
            } catch {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
                #expect(error.line >= 1 && error.column >= 1, "seed \(seed)")
            }
        }
    }

    @Test("random doubles and floats keep every bit")
    func floatingPoint() throws {
        var generator = JSONValueGenerator(seed: 7)
        var doubles: [Double] = [
            0, -0.0, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .leastNormalMagnitude, 1e16, 1e21, 0.1,
        ]
        for _ in 0..<20_000 { doubles.append(Double(bitPattern: generator.next())) }
        for value in doubles where !value.isNaN {
            let text = JSONWriter.text(of: JSONValue(value))
            #expect(try JSONReader.read(text).double?.bitPattern == value.bitPattern)
            let single = Float(value)
            #expect(try JSONReader.read(JSONWriter.text(of: JSONValue(single))).float?.bitPattern == single.bitPattern)
        }
    }

    @Test("infinities and NaN are strings")
    func nonFinite() {
        #expect(JSONWriter.text(of: [JSONValue(Double.infinity), JSONValue(-Float.infinity)]) == #"["inf","-inf"]"#)
        #expect(JSONWriter.text(of: JSONValue(Double.nan)) == #""nan""#)
        #expect(JSONValue.string("inf").double == .infinity)
        #expect(JSONValue.string("-inf").float == -.infinity)
        #expect(JSONValue.string("nan").double?.isNaN == true)
        #expect(JSONValue.string("1").double == nil)
    }

    @Test(
        "a NaN that is not the usual one is a string with its bits",
        arguments: [0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_0001, 0x7FF4_0000_0000_0000, 0xFFFF_FFFF_FFFF_FFFF]
            as [UInt64])
    func otherNaN(bits: UInt64) {
        let double = JSONValue(Double(bitPattern: bits))
        #expect(double.string == "nan:" + String(bits, radix: 16) && double.double?.bitPattern == bits)
        let single = UInt32(truncatingIfNeeded: bits >> 32) | 1
        let float = JSONValue(Float(bitPattern: single))
        #expect(float.string == "nan:" + String(single, radix: 16) && float.float?.bitPattern == single)
        let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        #expect(Date(iso8601: date.iso8601)?.timeIntervalSinceReferenceDate.bitPattern == bits)
        #expect(DynamicValue.double(Double(bitPattern: bits)).text == "nan")
    }

    @Test(
        "bits that are none of a NaN are no number",
        arguments: ["nan:", "nan:7ff0000000000000", "nan:1", "nan:+fff800000000000", "nan:ffc00000", "NaN"])
    func noNaN(text: String) {
        #expect(JSONValue.string(text).double == nil && Date(iso8601: text) == nil)
    }
}

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("compact text keeps the order and escapes only what it must")
    func compact() {
        let value: JSONValue = ["b": 1, "a": [true, nil, 1.5], "é\"\\/\u{8}\u{C}\n\r\t\u{1F}\u{7F}": "", "": [:]]
        #expect(
            JSONWriter.text(of: value)
                == #"{"b":1,"a":[true,null,1.5],"é\"\\/\b\f\n\r\t\u001F"# + "\u{7F}" + #"":"","":{}}"#)
    }

    @Test("pretty text has a line for each element")
    func pretty() {
        let value: JSONValue = ["a": [1, [], [:]], "b": ["c": "d"]]
        #expect(
            JSONWriter.text(of: value, layout: .pretty) == """
                {
                  "a": [
                    1,
                    [],
                    {}
                  ],
                  "b": {
                    "c": "d"
                  }
                }
                """)
    }

    @Test("lines are written one after another and passed on piece by piece")
    func lines() {
        var writer = JSONWriter()
        writer.append(["a": 1])
        writer.endLine()
        writer.append("x")
        writer.endLine()
        #expect(writer.bytes == Array("{\"a\":1}\n\"x\"\n".utf8))
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
    }
}
