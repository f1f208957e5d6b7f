/// The square on which a QR code is drawn: the patterns that readers look for, then the codewords, then a mask.
struct QRCanvas: Sendable, Hashable {
    private let symbol: QRSymbol
    private(set) var modules: [Bool]
    /// The modules of patterns, which hold no codewords and are not masked.
    private var isPattern: [Bool]

    private var size: Int { self.symbol.size }

    init(_ symbol: QRSymbol) {
        self.symbol = symbol
        self.modules = Array(repeating: false, count: symbol.size * symbol.size)
        self.isPattern = self.modules
        for place in 0..<self.size {
            self.set(6, place, place.isMultiple(of: 2))
            self.set(place, 6, place.isMultiple(of: 2))
        }
        for (row, column) in [(3, 3), (3, self.size - 4), (self.size - 4, 3)] { self.drawFinder(row, column) }
        let alignments = symbol.alignments
        for (first, row) in alignments.enumerated() {
            for (second, column) in alignments.enumerated() {
                let last = alignments.count - 1
                // These positions belong to the finders.
                guard ![(0, 0), (0, last), (last, 0)].contains(where: { $0 == (first, second) }) else { continue }
                self.drawAlignment(row, column)
            }
        }
        self.drawFormat(mask: 0)
        self.drawVersion()
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<self.size).contains(row), (0..<self.size).contains(column) else { return }
        self.modules[row * self.size + column] = isDark
        self.isPattern[row * self.size + column] = true
    }

    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for down in -4...4 {
            for right in -4...4 {
                let distance = max(abs(down), abs(right))
                self.set(row + down, column + right, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ row: Int, _ column: Int) {
        for down in -2...2 {
            for right in -2...2 { self.set(row + down, column + right, max(abs(down), abs(right)) != 1) }
        }
    }

    /// Draws the level L and the mask, each with its correction, twice.
    private mutating func drawFormat(mask: UInt8) {
        let data = 0b01 << 3 | Int(mask)
        var remainder = data
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (data << 10 | remainder) ^ 0x5412
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        for place in 0...5 { self.set(place, 8, bit(place)) }
        self.set(7, 8, bit(6))
        self.set(8, 8, bit(7))
        self.set(8, 7, bit(8))
        for place in 9..<15 { self.set(8, 14 - place, bit(place)) }
        for place in 0..<8 { self.set(8, self.size - 1 - place, bit(place)) }
        for place in 8..<15 { self.set(self.size - 15 + place, 8, bit(place)) }
        self.set(self.size - 8, 8, true)
    }

    private mutating func drawVersion() {
        guard self.symbol.version >= 7 else { return }
        var remainder = self.symbol.version
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = self.symbol.version << 12 | remainder
        for place in 0..<18 {
            let isDark = bits >> place & 1 == 1
            self.set(place / 3, self.size - 11 + place % 3, isDark)
            self.set(self.size - 11 + place % 3, place / 3, isDark)
        }
    }

    /// Draws codewords in pairs of columns from the right, alternately upwards and downwards.
    mutating func draw(_ codewords: [UInt8]) {
        var place = 0
        for right in stride(from: self.size - 1, through: 1, by: -2).map({ $0 > 6 ? $0 : $0 - 1 }) {
            let isUpwards = (right + 1) & 2 == 0
            for step in 0..<self.size {
                let row = isUpwards ? self.size - 1 - step : step
                for column in [right, right - 1] where !self.isPattern[row * self.size + column] {
                    guard place < codewords.count * 8 else { continue }
                    self.modules[row * self.size + column] = codewords[place / 8] >> UInt8(7 - place % 8) & 1 == 1
                    place += 1
                }
            }
        }
    }

    /// Inverts the modules that a mask names, and draws its number.
    mutating func mask(_ mask: UInt8) {
        for row in 0..<self.size {
            for column in 0..<self.size where !self.isPattern[row * self.size + column] {
                let (sum, product) = (row + column, row * column)
                let isInverted =
                    switch mask {
                    case 0: sum % 2 == 0
                    case 1: row % 2 == 0
                    case 2: column % 3 == 0
                    case 3: sum % 3 == 0
                    case 4: (row / 2 + column / 3) % 2 == 0
                    case 5: product % 2 + product % 3 == 0
                    case 6: (product % 2 + product % 3) % 2 == 0
                    default: (sum % 2 + product % 3) % 2 == 0
                    }
                if isInverted { self.modules[row * self.size + column].toggle() }
            }
        }
        self.drawFormat(mask: mask)
    }

    /// How hard the code is to read: runs, squares, patterns that look like finders, and too many modules of one kind.
    var penalty: Int {
        var sum = 3 * self.squares
        for index in 0..<self.size {
            sum += Self.penalty(of: (0..<self.size).map { self.modules[index * self.size + $0] })
            sum += Self.penalty(of: (0..<self.size).map { self.modules[$0 * self.size + index] })
        }
        let count = self.modules.count
        let unbalance = abs(self.modules.count { $0 } * 20 - count * 10)
        return sum + max(0, (unbalance + count - 1) / count - 1) * 10
    }

    private static let finders: [[Bool]] = {
        let finder = [true, false, true, true, true, false, true]
        let light = Array(repeating: false, count: 4)
        return [finder + light, light + finder]
    }()

    private static func penalty(of line: [Bool]) -> Int {
        var (sum, run) = (0, 0)
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
            for finder in Self.finders where line[index...].starts(with: finder) { sum += 40 }
        }
        return sum
    }

    private var squares: Int {
        (0..<self.size - 1).reduce(0) { count, row in
            count
                + (0..<self.size - 1).count { column in
                    let place = row * self.size + column
                    let corners = [1, self.size, self.size + 1].map { self.modules[place + $0] }
                    return corners.allSatisfy { $0 == self.modules[place] }
                }
        }
    }
}
