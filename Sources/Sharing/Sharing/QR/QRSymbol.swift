/// A size of QR codes at level L: its capacity, and how bytes become codewords with their correction.
struct QRSymbol: Sendable, Hashable {
    /// The number of correction codewords in each block, from version 1 on; ISO/IEC 18004, level L.
    private static let corrections = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30,
        30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    /// The number of blocks, from version 1 on; ISO/IEC 18004, level L.
    private static let blocks = [
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
        19, 20, 21, 22, 24, 25,
    ]

    /// From 1 to 40.
    let version: Int

    /// The modules of each side.
    var size: Int { 17 + 4 * self.version }

    /// The smallest symbol for that many bytes; nil if even the largest is too small.
    static func smallest(for count: Int) -> QRSymbol? {
        (1...40).map(QRSymbol.init).first { symbol in
            4 + symbol.countBits + 8 * count <= 8 * symbol.dataCount
        }
    }

    /// The size in bits of the count that precedes the bytes.
    private var countBits: Int { self.version < 10 ? 8 : 16 }
    private var correctionCount: Int { Self.corrections[self.version - 1] }
    private var blockCount: Int { Self.blocks[self.version - 1] }

    /// The coordinates of the middles of the alignment patterns, in both directions.
    var alignments: [Int] {
        guard self.version > 1 else { return [] }
        let count = self.version / 7 + 2
        let step = (self.version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).map { self.size - 7 - $0 * step }.reversed()
    }

    /// The modules that hold codewords, in whole bytes.
    private var codewordCount: Int {
        var modules = (16 * self.version + 128) * self.version + 64
        if self.version >= 2 {
            let count = self.version / 7 + 2
            modules -= (25 * count - 10) * count - 55
            if self.version >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private var dataCount: Int { self.codewordCount - self.correctionCount * self.blockCount }

    /// The data codewords: the byte mode, the number of bytes, the bytes, and padding.
    func data(of bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for place in (0..<count).reversed() { bits.append(value >> place & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, self.countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, 8 * self.dataCount - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        // Pad with the standard's two bytes, alternately.
        for place in 0..<self.dataCount - data.count { data.append(place.isMultiple(of: 2) ? 0xEC : 0x11) }
        return data
    }

    /// Divides data into blocks, adds each block's correction, and interleaves the blocks.
    func interleaved(_ data: [UInt8]) -> [UInt8] {
        let long = self.codewordCount % self.blockCount
        let shortLength = self.codewordCount / self.blockCount - self.correctionCount
        let divisor = ReedSolomon.divisor(self.correctionCount)
        var blocks: [(data: [UInt8], correction: [UInt8])] = []
        var rest = data[...]
        for index in 0..<self.blockCount {
            let block = Array(rest.prefix(shortLength + (index < self.blockCount - long ? 0 : 1)))
            rest = rest.dropFirst(block.count)
            blocks.append((block, ReedSolomon.remainder(block, divisor)))
        }
        var codewords: [UInt8] = []
        for place in 0...shortLength {
            for block in blocks where place < block.data.count { codewords.append(block.data[place]) }
        }
        for place in 0..<self.correctionCount {
            for block in blocks { codewords.append(block.correction[place]) }
        }
        return codewords
    }
}

/// Reed-Solomon correction over the field of 256 elements that QR codes use, modulo x^8 + x^4 + x^3 + x^2 + 1.
private enum ReedSolomon {
    static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for place in (0..<8).reversed() {
            product = product << 1 ^ (product & 0x80 == 0 ? 0 : 0x1D)
            if other >> UInt8(place) & 1 == 1 { product ^= one }
        }
        return product
    }

    /// The polynomial with the roots 1, 2, 4 and so on, the leading 1 left out.
    static func divisor(_ degree: Int) -> [UInt8] {
        var polynomial = Array(repeating: UInt8(0), count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in polynomial.indices {
                polynomial[index] = self.product(polynomial[index], root)
                if index + 1 < polynomial.count { polynomial[index] ^= polynomial[index + 1] }
            }
            root = self.product(root, 2)
        }
        return polynomial
    }

    static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
        var remainder = Array(repeating: UInt8(0), count: divisor.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in divisor.enumerated() { remainder[index] ^= self.product(coefficient, factor) }
        }
        return remainder
    }
}
