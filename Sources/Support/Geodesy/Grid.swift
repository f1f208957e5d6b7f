/// A partition of the Earth into cells of about equal size, for positions of reduced accuracy.
///
/// All rows have the same height in latitude. Each row is divided into equal columns, so many that a column's width at
/// the middle of the row is about the row's height. Every point is in exactly one cell. Cells are computed with
/// integers, so that a point is in the same cell on every machine.
public struct Grid: Sendable, Hashable {
    /// One cell of a grid.
    public struct Cell: Sendable, Hashable {
        /// The row, 0 at the south pole.
        public let row: Int
        /// The column; 0 is the first one east of the antimeridian.
        public let column: Int

        /// Names a cell; the grid that uses it checks whether it exists.
        public init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    /// The grid of reduced accuracy: 4,000 rows of 0.045°, 5 km high and wide.
    public static let reducedAccuracy = Grid(rows: 4000)

    /// The number of rows from pole to pole.
    public let rows: Int

    /// Creates a grid.
    ///
    /// - Parameter rows: the number of rows, 1…1,000,000 (20 m); it must divide 1,800,000,000.
    public init(rows: Int) {
        precondition((1...1_000_000).contains(rows), "a grid must have 1…1,000,000 rows, got \(rows)")
        precondition(
            (QuantizedCoordinate.unitsPerCircle / 2).isMultiple(of: rows),
            "a grid's rows must divide 1,800,000,000, got \(rows)"
        )
        self.rows = rows
    }

    /// The height of a row in 1e-7 degrees.
    private var rowHeight: Int { QuantizedCoordinate.unitsPerCircle / 2 / self.rows }

    /// Returns the number of columns in a row.
    ///
    /// - Parameter row: the row, 0..<rows.
    /// - Returns: the number of columns, at least 1.
    public func columns(inRow row: Int) -> Int {
        let middle = (Double(row) + 0.5) / Double(self.rows) * 180 - 90
        return max(1, Int((2 * Double(self.rows) * cosine(middle * .pi / 180)).rounded()))
    }

    /// Returns the cell that contains a point.
    ///
    /// - Parameter point: the point.
    /// - Returns: the cell; a point on an edge belongs to the cell to the north or east.
    public func cell(containing point: QuantizedCoordinate) -> Cell {
        let circle = QuantizedCoordinate.unitsPerCircle
        let row = min((Int(point.latitude) + circle / 4) / self.rowHeight, self.rows - 1)
        let column = (Int(point.longitude) + circle / 2) * self.columns(inRow: row) / circle
        return Cell(row: row, column: column)
    }

    /// Returns the centre of a cell, in the middle of its latitudes and longitudes.
    ///
    /// - Parameter cell: a cell of this grid.
    /// - Returns: the centre.
    public func center(of cell: Cell) -> QuantizedCoordinate {
        let circle = QuantizedCoordinate.unitsPerCircle
        let columns = self.columns(inRow: cell.row)
        precondition(
            (0..<self.rows).contains(cell.row) && (0..<columns).contains(cell.column),
            "a cell must be of this grid, got row \(cell.row) and column \(cell.column)"
        )
        return QuantizedCoordinate(
            latitude: cell.row * self.rowHeight + self.rowHeight / 2 - circle / 4,
            longitude: (2 * cell.column + 1) * circle / (2 * columns) - circle / 2
        )
    }
}
