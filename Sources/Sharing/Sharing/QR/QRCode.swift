/// A text as a QR code (ISO/IEC 18004), for cameras: an invitation, shown by one device to another.
///
/// Uses byte mode and the least error correction: a screen is clean, and a code with fewer modules is readable from further away.
public struct QRCode: Sendable, Hashable {
    /// The maximum number of bytes of a text.
    ///
    /// Source: ISO/IEC 18004, version 40 with level L.
    public static let bytesMax = 2953

    /// The number of modules of each side, without the quiet zone.
    public let size: Int
    /// The modules, row by row from the top left; true is dark.
    let modules: [Bool]

    /// Makes the code of a text; nil when the text has more than ``bytesMax`` bytes of UTF-8.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let symbol = QRSymbol.smallest(for: bytes.count) else { return nil }
        let codewords = symbol.interleaved(symbol.data(of: bytes))
        let canvases = (0..<8 as Range<UInt8>).map { mask in
            var canvas = QRCanvas(symbol)
            canvas.draw(codewords)
            canvas.mask(mask)
            return canvas
        }
        guard let best = canvases.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.size = symbol.size
        self.modules = best.modules
    }

    /// Whether the module of a row and a column is dark; those around the code are light.
    public func isDark(row: Int, column: Int) -> Bool {
        let inside = 0..<self.size
        return inside.contains(row) && inside.contains(column) && self.modules[row * self.size + column]
    }

    /// The light modules that a reader needs on each side.
    ///
    /// Source: ISO/IEC 18004.
    public static let quietZone = 4

    /// The number of terminal columns that ``lines`` need.
    public var columns: Int { self.size + 2 * Self.quietZone }

    /// The code as lines for a terminal, dark on light in any colour scheme; each line holds two rows of modules.
    public var lines: [String] {
        let range = -Self.quietZone..<self.size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let cells = range.map { column in
                switch (self.isDark(row: row, column: column), self.isDark(row: row + 1, column: column)) {
                case (false, false): " "
                case (true, false): "▀"
                case (false, true): "▄"
                case (true, true): "█"
                }
            }
            // Black on white.
            return "\u{1B}[30;107m\(cells.joined())\u{1B}[0m"
        }
    }
}
