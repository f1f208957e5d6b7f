internal import Testing
internal import WhereaboutsVocabulary

@testable import WhereaboutsGeodesy

@Suite struct GridTests {
    static let grid = Grid.reducedAccuracy

    @Test(arguments: 0..<20 as Range<UInt64>) func centersAreInTheirCells(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let point = QuantizedCoordinate(generator.point())
            let cell = Self.grid.cell(containing: point)
            #expect((0..<Self.grid.columns(inRow: cell.row)).contains(cell.column))
            let center = Self.grid.center(of: cell)
            #expect(Self.grid.cell(containing: center) == cell)
            // Half a diagonal of 5.03 km × 5.03 km, and a column near a pole may be wider by a third.
            let away = Geodesic.inverse(from: point.coordinate, to: center.coordinate).distance.value
            #expect(away < 4300, "\(point)")
        }
    }

    @Test(arguments: [0, 400, 1999, 2000, 3000, 3900]) func cellsAreFiveKilometresWide(row: Int) {
        let columns = Self.grid.columns(inRow: row)
        let one = Self.grid.center(of: Grid.Cell(row: row, column: 0)).coordinate
        let next = Self.grid.center(of: Grid.Cell(row: row, column: 1)).coordinate
        let width = Geodesic.inverse(from: one, to: next).distance.value
        #expect(columns > 6 ? (4950...5050).contains(width) : width < 5050)
    }

    /// Goal: a device that moves inside a cell keeps one reduced position, and a device that crosses the edge gets
    /// another.
    @Test func edges() {
        let height: Int32 = 450_000
        let inside = QuantizedCoordinate(latitude: Int(height) * 100 - 1, longitude: 0)
        let outside = QuantizedCoordinate(latitude: Int(height) * 100, longitude: 0)
        #expect(Self.grid.cell(containing: inside).row == 2099)
        #expect(Self.grid.cell(containing: outside).row == 2100)
    }

    @Test func antimeridianAndPoles() {
        let east = QuantizedCoordinate(GeodeticCoordinate(10, 180))
        let west = QuantizedCoordinate(GeodeticCoordinate(10, -180))
        #expect(east == west)
        #expect(Self.grid.cell(containing: east).column == 0)
        let pole = Self.grid.cell(containing: QuantizedCoordinate(GeodeticCoordinate(90, 0)))
        #expect(pole.row == 3999)
        #expect(Self.grid.columns(inRow: 3999) == 3)
        #expect(Grid(rows: 1).columns(inRow: 0) == 2)
    }

    @Test func badGridsTrap() async {
        await #expect(processExitsWith: .failure) { _ = Grid(rows: 0) }
        await #expect(processExitsWith: .failure) { _ = Grid(rows: 7) }
        await #expect(processExitsWith: .failure) {
            _ = Grid.reducedAccuracy.center(of: Grid.Cell(row: 4000, column: 0))
        }
    }
}
