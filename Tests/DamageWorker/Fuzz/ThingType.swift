import StoreCommands
import StoreEngine

/// The record type `Thing` of ``SchemaTarget/documents``, which has a field of every kind.
enum ThingType {
    static func type() throws -> RecordType {
        let entries = try SchemaDocument.entries(Array(SchemaTarget.documents[0].utf8), of: "Thing")
        return try RecordType(id: 1, declared: entries[0].schema)
    }

    /// Records in the form of an import.
    static let lines = [
        #"""
        {"id": 1, "name": "a", "note": null, "active": true, "small": -128, "level": 255, "big": 18446744073709551615, "ratio": 1.5, "celsius": 21.25, "price": 12.50, "seen": "2026-01-02T03:04:05Z", "key": "00000000-0000-4000-8000-000000000000", "link": "https://example.org/?q=%20", "wait": "PT5.5S", "blob": "AAEC", "doc": {"a": [1, 2.5, null, "é"]}, "region": "eu", "rank": 5, "tags": ["x", "y"], "marks": [1, null, 3], "limits": {"k": 9}, "address": {"city": "Ulm", "zip": 89073}}
        """#,
        #"""
        {"id": -9223372036854775808, "name": "\u00fc\ud83d\ude00\n\"", "note": "x", "small": 127, "level": 0, "big": 0, "ratio": "inf", "celsius": "nan", "price": "nan", "seen": "9999-12-31T23:59:59.999999Z", "key": "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "wait": "-PT0.000000001S", "blob": "", "doc": "text", "region": "us", "tags": [], "marks": [], "limits": {}}
        """#,
    ]
}
