import TestSupport
import Testing

@testable import StoreEngine

/// Chunked rows, compared with an array, and the differences between results.
@Suite struct LiveRowsTests {
    @Test(arguments: 0..<TestLength.runs(10, long: 300))
    func `random changes of rows in chunks leave what they leave in an array`(run: Int) throws {
        var random = TestRandom(seed: UInt64(run) &* 6_151 &+ 1)
        var chunks = RowChunks()
        var array: [LiveRow] = []
        var seen = LiveRows(), seenArray: [LiveRow] = []
        for number in 0..<1_500 {
            let row = Self.row(random.below(run % 2 == 0 ? 300 : 100_000), content: number)
            let spot = chunks.spot(of: row.sortKey)
            let index = array.count { $0.compared(to: row.sortKey) < 0 }
            if spot.isFound != (index < array.count && array[index].sortKey == row.sortKey) {
                throw Mismatch("run \(run): \(row.sortKey) found \(spot.isFound)")
            }
            if !spot.isFound {
                chunks.insert(row, at: spot)
                array.insert(row, at: index)
            } else if random.oneIn(2) {
                chunks.remove(at: spot)
                array.remove(at: index)
            } else {
                chunks.replace(row, at: spot)
                array[index] = row
            }
            if random.oneIn(200) {
                let count = random.below(array.count + 1)
                chunks.truncate(to: count)
                array.removeLast(array.count - count)
            }
            chunks._checkInvariants()
            guard random.oneIn(20) else { continue }
            let offset = random.below(4), limit = random.pick([nil, 0, 1, 50])
            let shown = LiveRows(chunks, offset: offset, limit: limit)
            let expected = Array(array.dropFirst(offset).prefix(limit ?? .max))
            guard shown.elementsEqual(expected, by: ===), shown.indices.allSatisfy({ shown[$0] === expected[$0] })
            else {
                throw Mismatch("run \(run), step \(number): rows from \(offset) on, \(String(describing: limit))")
            }
            let whole = LiveRows(chunks, offset: 0, limit: nil)
            // Earlier results keep their rows.
            guard seen.elementsEqual(seenArray, by: ===) else { throw Mismatch("run \(run): old rows changed") }
            let difference = LiveDifference(from: seen, to: whole)
            let (oldKeys, newKeys) = (Set(seenArray.map(\.key)), Set(array.map(\.key)))
            let deleted = seenArray.indices.filter { !newKeys.contains(seenArray[$0].key) }
            let inserted = array.indices.filter { !oldKeys.contains(array[$0].key) }
            guard difference.deletes == deleted, difference.inserts == inserted, difference.moves.isEmpty else {
                throw Mismatch("run \(run), step \(number): \(difference)")
            }
            (seen, seenArray) = (whole, array)
        }
    }

    @Test func `a change of one row of many shares all other chunks with the result before`() {
        var chunks = RowChunks((0..<100_000).map { Self.row($0, content: 0) })
        let old = LiveRows(chunks, offset: 0, limit: nil)
        let row = Self.row(54_321, content: 1)
        chunks.replace(row, at: chunks.spot(of: row.sortKey))
        let new = LiveRows(chunks, offset: 0, limit: nil)
        let own = zip(old.chunks, new.chunks).filter { !$0.isSameMemory(as: $1) }
        #expect(own.count == 1 && old.chunks.count == new.chunks.count)
        #expect(old[54_321] !== row && new[54_321] === row)
    }

    @Test func `a row among others that left and came is moved only where it stands between other rows`() {
        let old = Self.rows([(10, 1), (20, 2), (30, 3), (40, 4)])
        // Row 2 moves up past row 3. Row 1 gets a closer sort key, which only shifts it.
        let moved = LiveDifference(from: old, to: Self.rows([(15, 1), (30, 3), (35, 2), (40, 4)]))
        #expect(moved.moves.map(\.from) == [1] && moved.moves.map(\.to) == [2])
        #expect(moved.updates.map(\.to) == [0, 2] && moved.inserts.isEmpty && moved.deletes.isEmpty)
        // All rows move up together, and none stays.
        let shifted = LiveDifference(from: old, to: Self.rows([(50, 1), (60, 2), (70, 3), (80, 4)]))
        #expect(shifted.moves.isEmpty && shifted.updates.count == 4)
        // If two rows swap, one move is enough.
        let exchanged = LiveDifference(from: old, to: Self.rows([(10, 1), (25, 3), (26, 2), (40, 4)]))
        #expect(exchanged.moves.count == 1)
        let replaced = LiveDifference(from: old, to: Self.rows([(10, 1), (20, 9), (30, 3), (40, 4)]))
        #expect(replaced.deletes == [1] && replaced.inserts == [1] && replaced.moves.isEmpty)
    }

    @Test func `rows of different records whose places are the same bytes are not one row`() {
        // The sort key is a level followed by the id, or the id alone. The bytes 1 2 stand for level 1 with id 2, or for id 1 2.
        func result(_ rows: [(sortKey: [UInt8], key: [UInt8])]) -> LiveRows {
            LiveRows(
                RowChunks(rows.map { LiveRow(sortKey: $0.sortKey, key: $0.key, content: RecordContent($0.key)) }),
                offset: 0,
                limit: nil)
        }
        let byLevel = result([([1, 2], [2]), ([5, 1, 2], [1, 2])])
        let byID = result([([1, 2], [1, 2]), ([2], [2])])
        for (old, new) in [(byLevel, byID), (byID, byLevel)] {
            let difference = LiveDifference(from: old, to: new)
            #expect(difference.updates.isEmpty && difference.inserts.isEmpty && difference.deletes.isEmpty)
            #expect(difference.moves.count == 1)
        }
        let others = result([([1, 2], [1, 2]), ([3], [3])])
        let difference = LiveDifference(from: byLevel, to: others)
        #expect(difference.deletes == [0] && difference.inserts == [1] && difference.updates.isEmpty)
    }

    @Test func `what is other than before is known, also where it is not told`() {
        let old = Self.rows([(10, 1), (20, 2), (30, 3)])
        var chunks = RowChunks(old.map(\.self))
        for (key, place) in [(UInt8(2), UInt8(20)), (3, 30)] {
            let row = LiveRow(sortKey: [place, key], key: [key], content: RecordContent([0xFF, key]))
            chunks.replace(row, at: chunks.spot(of: row.sortKey))
        }
        let difference = LiveDifference(from: old, to: LiveRows(chunks, offset: 0, limit: nil), fields: FieldIndexSet())
        #expect(difference.renewed.sorted() == [1, 2])
    }

    @Test func `places are found, joined and compared past the first word`() {
        var set = FieldIndexSet([0, 63, 64, 200])
        #expect(set.indexes == [0, 63, 64, 200] && set.contains(200) && !set.contains(199) && !set.contains(4_000))
        #expect(set.intersects(FieldIndexSet([200])) && !set.intersects(FieldIndexSet([1, 65, 500])))
        #expect(set.intersects(.all) && FieldIndexSet.all.intersects(set) && !FieldIndexSet().intersects(.all))
        set.formUnion(FieldIndexSet([1, 500]))
        #expect(set.indexes == [0, 1, 63, 64, 200, 500] && !set.isEmpty && FieldIndexSet().isEmpty)
        set.formUnion(.all)
        #expect(set == .all && set.contains(70_000) && set.indexes == nil)
    }

    private static func rows(_ rows: [(sortKey: Int, key: UInt8)]) -> LiveRows {
        let made = rows.map { row in
            LiveRow(
                sortKey: [UInt8(row.sortKey)] + [row.key], key: [row.key],
                content: RecordContent([UInt8(row.sortKey), row.key]))
        }
        return LiveRows(RowChunks(made), offset: 0, limit: nil)
    }

    private static func row(_ number: Int, content: Int) -> LiveRow {
        let key = [UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
        return LiveRow(sortKey: key, key: key, content: RecordContent([UInt8(content & 0xFF), UInt8(content >> 8)]))
    }
}
