internal import WhereaboutsGeodesy

/// Distances between cells of the volunteers' grid, in integers, so that each machine finds the same nearest cells.
enum CellDistance {
    /// The height of a row in metres, rounded down.
    static let size = 1000

    /// The distance between two cells' centres, in metres.
    ///
    /// Cells are about as wide as high, so each column between them, in the row of `first`, counts as ``size`` metres.
    static func metres(from first: Grid.Cell, to second: Grid.Cell) -> Int {
        let grid = Volunteer.grid
        let circle = 3_600_000_000
        let (from, to) = (grid.center(of: first), grid.center(of: second))
        var east = abs(Int(from.longitude) - Int(to.longitude))
        east = min(east, circle - east)
        let columns = grid.columns(inRow: first.row)
        let x = Double(east * columns / (circle / self.size))
        let y = Double((first.row - second.row) * self.size)
        return Int((x * x + y * y).squareRoot())
    }

    /// The cells with their centres within `radius` metres, nearest first.
    static func cells(around center: Grid.Cell, within radius: Int) -> [(cell: Grid.Cell, metres: Int)] {
        let grid = Volunteer.grid
        let reach = radius / self.size + 1
        let point = grid.center(of: center)
        var found: [(cell: Grid.Cell, metres: Int)] = []
        for row in max(0, center.row - reach)...min(grid.rows - 1, center.row + reach) {
            let columns = grid.columns(inRow: row)
            let column = (Int(point.longitude) + 1_800_000_000) * columns / 3_600_000_000
            // Near a pole a row has fewer columns than the search is wide.
            let width = min(2 * reach + 1, columns)
            for offset in 0..<width {
                let cell = Grid.Cell(row: row, column: (column - width / 2 + offset + columns) % columns)
                let metres = self.metres(from: center, to: cell)
                if metres <= radius { found.append((cell, metres)) }
            }
        }
        return found.sorted { ($0.metres, $0.cell.row, $0.cell.column) < ($1.metres, $1.cell.row, $1.cell.column) }
    }
}
