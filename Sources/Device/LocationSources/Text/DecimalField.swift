/// Reads decimal numbers strictly: digits, one optional sign and one optional point, nothing else.
///
/// `Double.init(_:)` alone would accept `nan`, `inf` and `0x1p3` from a receiver, and needs a string for each number.
enum DecimalField {
    /// No number of NMEA 0183 or gpsd is longer; more digits than this carry no meaning.
    private static let bytesMax = 24

    /// The powers of ten that a `Double` represents exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    static func integer(_ bytes: Span<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 9 else { return nil }
        var number = 0
        for index in bytes.indices {
            guard self.isDigit(bytes[index]) else { return nil }
            number = number * 10 + Int(bytes[index] &- UInt8(ascii: "0"))
        }
        return number
    }

    static func double(_ bytes: Span<UInt8>) -> Double? {
        guard !bytes.isEmpty, bytes.count <= self.bytesMax else { return nil }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var (digits, decimals): (UInt64, Int) = (0, 0)
        var (hasDigit, hasPoint, isExact) = (false, false, true)
        for index in (isNegative || bytes[0] == UInt8(ascii: "+") ? 1 : 0)..<bytes.count {
            let byte = bytes[index]
            if self.isDigit(byte) {
                hasDigit = true
                // More than 18 digits may not fit.
                guard digits < 1_000_000_000_000_000_000 else {
                    isExact = false
                    continue
                }
                digits = digits * 10 + UInt64(byte &- UInt8(ascii: "0"))
                decimals += hasPoint ? 1 : 0
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                return nil
            }
        }
        guard hasDigit else { return nil }
        // The quotient of two exact numbers is rounded once, as by the C library (W. D. Clinger, PLDI 1990).
        guard isExact, digits <= 1 << 53 else {
            return Double(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
        }
        let number = Double(digits) / self.powers[decimals]
        return isNegative ? -number : number
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
