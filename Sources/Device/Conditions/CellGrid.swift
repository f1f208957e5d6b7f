internal import WhereaboutsGeodesy

/// A hash from places on the Earth to the circles about them: one of a ``CircleIndex``'s, with circles enlarged by a margin.
///
/// A circle of radius r is kept at the level whose cells are 2r to 4r high; there it touches two rows at most, and two cells
/// of each. Level n has rows of 2ⁿ units of 1e-7°; a row's cells are 2ᵏ times as wide, with the least k for which that is
/// also 2r along the row's parallel and its neighbour's. All of it is integers: no sine is taken, and rows near a pole are
/// one cell around it.
struct CellGrid: Sendable, Hashable {
    /// The place of a circle in the lists of its cells; four places for each slot.
    private struct Link: Sendable, Hashable {
        var next: Int32 = -1
        var previous: Int32 = -1
    }

    /// The height of the finest cells: 2¹² units, 45 m.
    private static let finest = 12
    /// The height of the coarsest: more than from pole to pole.
    private static let coarsest = 32
    /// The most cells a circle touches.
    private static let linksOfCircle = 4

    /// The margin by which circles are enlarged, in millimetres.
    let margin: Int64
    private var heads: [UInt64: Int32] = [:]
    private var links: ContiguousArray<Link> = []
    private var counts = [Int](repeating: 0, count: Self.coarsest + 1)

    init(margin: Int64) {
        self.margin = margin
    }

    /// Whether no circle is in it.
    var isEmpty: Bool { self.heads.isEmpty && self.counts.allSatisfy { $0 == 0 } }

    /// Enters a circle under a slot that is not in use.
    mutating func insert(_ circle: ConditionCircle, slot: Int32) {
        while self.links.count < (Int(slot) + 1) * Self.linksOfCircle { self.links.append(Link()) }
        self.counts[self.level(of: circle)] += 1
        var link = slot * Int32(Self.linksOfCircle)
        Self.forEachCell(of: circle, reach: self.units(of: circle), level: self.level(of: circle)) { cell in
            let head = self.heads.updateValue(link, forKey: cell) ?? -1
            self.links[Int(link)] = Link(next: head, previous: -1)
            if head >= 0 { self.links[Int(head)].previous = link }
            link += 1
        }
    }

    /// Takes out a circle that was entered under the slot.
    mutating func remove(_ circle: ConditionCircle, slot: Int32) {
        self.counts[self.level(of: circle)] -= 1
        var link = slot * Int32(Self.linksOfCircle)
        Self.forEachCell(of: circle, reach: self.units(of: circle), level: self.level(of: circle)) { cell in
            let (next, previous) = (self.links[Int(link)].next, self.links[Int(link)].previous)
            if next >= 0 { self.links[Int(next)].previous = previous }
            if previous >= 0 {
                self.links[Int(previous)].next = next
            } else {
                self.heads[cell] = next >= 0 ? next : nil
            }
            link += 1
        }
    }

    /// The cells that a circle touches.
    func cells(of circle: ConditionCircle) -> [UInt64] {
        var cells: [UInt64] = []
        Self.forEachCell(of: circle, reach: self.units(of: circle), level: self.level(of: circle)) { cells.append($0) }
        return cells
    }

    /// Calls with the slot of every enlarged circle that may contain a point, and of some that do not, until told to stop.
    ///
    /// - Parameters:
    ///   - point: the point.
    ///   - body: takes a slot; returns whether to go on.
    func forEachSlot(about point: QuantizedCoordinate, _ body: (Int32) -> Bool) {
        for level in Self.finest...Self.coarsest where self.counts[level] > 0 {
            let row = Self.row(Int(point.latitude), level)
            let cell = Self.cell(level, row, Self.column(Int(point.longitude), level, Self.widening(row, level)))
            var link = self.heads[cell] ?? -1
            while link >= 0 {
                guard body(link / Int32(Self.linksOfCircle)) else { return }
                link = self.links[Int(link)].next
            }
        }
    }

    // MARK: Cells

    /// The units of latitude or, at the equator, longitude that hold a length in millimetres, rounded up.
    ///
    /// 0.090 437 units are a millimetre of a meridian at the equator, where degrees are shortest: a(1 − e²) of WGS-84.
    static func units(_ millimeters: Int64) -> Int { Int(millimeters * 90_440 / 1_000_000) + 1 }

    private func units(of circle: ConditionCircle) -> Int { Self.units(circle.radius + self.margin) }

    private func level(of circle: ConditionCircle) -> Int {
        let width = UInt64(2 * self.units(of: circle))
        return min(max(UInt64.bitWidth - (width - 1).leadingZeroBitCount, Self.finest), Self.coarsest)
    }

    private static func forEachCell(of circle: ConditionCircle, reach: Int, level: Int, _ body: (UInt64) -> Void) {
        let latitude = Int(circle.center.latitude)
        let longitude = Int(circle.center.longitude)
        for row in Self.row(latitude - reach, level)...Self.row(latitude + reach, level) {
            let widening = Self.widening(row, level)
            // Along a parallel the circle reaches 1 / cos φ times as far; 2ᵏ is at least that.
            let across = widening < Self.coarsest ? reach << widening : Self.circle
            let first = Self.column(longitude - across, level, widening)
            let last = Self.column(longitude + across, level, widening)
            body(Self.cell(level, row, first))
            if last != first { body(Self.cell(level, row, last)) }
        }
    }

    private static let circle = 3_600_000_000

    private static func row(_ latitude: Int, _ level: Int) -> Int {
        (min(max(latitude, -900_000_000), 900_000_000) + 900_000_000) >> level
    }

    private static func column(_ longitude: Int, _ level: Int, _ widening: Int) -> Int {
        guard level + widening < self.coarsest else { return 0 }
        let width = level + widening
        let turned = ((longitude + self.circle / 2) % self.circle + self.circle) % self.circle
        // The last column takes the rest of the circle too: a narrower one could lie within a circle.
        return min(turned >> width, max(self.circle >> width, 1) - 1)
    }

    private static func cell(_ level: Int, _ row: Int, _ column: Int) -> UInt64 {
        UInt64(level) << 48 | UInt64(row) << 24 | UInt64(column)
    }

    /// The k for which cells 2ᵏ times as wide as high are as wide on the ground, at the row's far edge and a row beyond.
    private static func widening(_ row: Int, _ level: Int) -> Int {
        let south = abs(((row - 1) << level) - 900_000_000)
        let north = abs(((row + 2) << level) - 900_000_000)
        let latitude = max(south, north)
        return self.latitudes.firstIndex { latitude <= $0 } ?? self.coarsest
    }

    /// The latitudes with cosines of 2⁰, 2⁻¹ … 2⁻²⁰, in units, rounded down.
    private static let latitudes = [
        0, 600_000_000, 755_224_878, 828_192_442, 864_166_783, 882_092_153, 891_047_170, 895_523_721, 897_761_877,
        898_880_941,
        899_440_470, 899_720_235, 899_860_117, 899_930_058, 899_965_029, 899_982_514, 899_991_257, 899_995_628,
        899_997_814,
        899_998_907, 899_999_453,
    ]
}
