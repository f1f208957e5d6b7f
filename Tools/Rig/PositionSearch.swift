public import Foundation

/// Searches bytes for a position that a program printed.
public struct PositionSearch: Sendable {
    private let texts: [Data]
    private let ranges: (latitude: ClosedRange<Int32>, longitude: ClosedRange<Int32>)

    /// Reads the position that a line contains, as in `answered: 53.54585,9.96658 ±4 m`; nil if it contains none.
    ///
    /// - Parameter line: a line with a position of five decimals.
    public init?(in line: some StringProtocol) {
        guard let match = String(line).firstMatch(of: /(-?\d+\.\d{5}),(-?\d+\.\d{5})/),
            let latitude = Double(match.output.1), let longitude = Double(match.output.2)
        else { return nil }
        // Search for three decimals, because the program rounded the last one.
        self.texts = [match.output.1, match.output.2].map { Data($0.dropLast(2).utf8) }
        self.ranges = (Self.range(latitude), Self.range(longitude))
    }

    /// The numbers in 1e-7 degree that are printed as these degrees.
    private static func range(_ degrees: Double) -> ClosedRange<Int32> {
        let middle = Int32((degrees * 1e7).rounded())
        return middle - 50...middle + 50
    }

    /// Searches for a coordinate as text, and for both as numbers.
    ///
    /// The numbers are those of an answer before it is sealed: the latitude and the longitude in 1e-7 degree, four bytes each, in network
    /// byte order.
    ///
    /// - Parameter bytes: the bytes to search.
    /// - Returns: whether they contain the position.
    public func isFound(in bytes: Data) -> Bool {
        if self.texts.contains(where: { bytes.firstRange(of: $0) != nil }) { return true }
        var last: UInt64 = 0
        return bytes.contains { byte in
            last = last << 8 | UInt64(byte)
            return self.ranges.latitude.contains(Int32(truncatingIfNeeded: last >> 32))
                && self.ranges.longitude.contains(Int32(truncatingIfNeeded: last))
        }
    }
}
