/// Reads decimal numbers strictly: digits, one optional sign and one optional point, nothing else.
///
/// `Double.init(_:)` alone would take `nan`, `inf` and `0x1p3` from a receiver.
enum DecimalField {
    /// No number of NMEA 0183 or gpsd is longer; more digits than this carry no meaning.
    private static let bytesMax = 24

    static func integer(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 9, bytes.allSatisfy(self.isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    static func double(_ bytes: ArraySlice<UInt8>) -> Double? {
        let digits = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
        guard let first = digits.first, self.isDigit(first) || first == UInt8(ascii: "."),
            bytes.count <= self.bytesMax,
            digits.allSatisfy({ self.isDigit($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
