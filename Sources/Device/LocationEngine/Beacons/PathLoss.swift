/// The distance of a transmitter by the part of its power that arrives at the receiver.
///
/// The log-distance model of path loss (Rappaport, "Wireless Communications", 2nd edition, 4.9) with the exponent 2 of free space
/// (Friis, Proc. IRE 34, 1946): `d = 1 m × 10^((P − RSSI) / 20)`, where `P` is the strength at one metre. In rooms the
/// exponent is 1.6 to 3.3 and not known to a device, so the reported distance is a rank rather than a length, as Apple
/// says of its own figure.
package enum PathLoss {
    /// 10^(k/20) in thousandths for k = 0…19 dB; twenty decibels are a factor of ten.
    private static let factors: [Int64] = [
        1000, 1122, 1259, 1413, 1585, 1778, 1995, 2239, 2512, 2818, 3162, 3548, 3981, 4467, 5012, 5623, 6310, 7079,
        7943,
        8913,
    ]

    /// The distance in millimetres at which a transmitter is received at a strength.
    ///
    /// - Parameters:
    ///   - rssi: the strength received, in dBm.
    ///   - measuredPower: the strength at one metre, in dBm.
    /// - Returns: at least one millimetre; for two strengths of eight bits less than 2^63.
    package static func distance(rssi: Int8, measuredPower: Int8) -> Int64 {
        let loss = Int(measuredPower) - Int(rssi)
        // Euclid's division: -3 dB is 17 dB above -20 dB.
        let decades = loss >= 0 ? loss / 20 : -((-loss + 19) / 20)
        var distance = Self.factors[loss - decades * 20]
        for _ in 0..<max(decades, 0) { distance *= 10 }
        for _ in 0..<max(-decades, 0) { distance /= 10 }
        return max(distance, 1)
    }

    /// The weakest strength, in whole dBm, that means this distance or less.
    ///
    /// - Parameters:
    ///   - distance: the distance in millimetres.
    ///   - measuredPower: the strength at one metre, in dBm.
    /// - Returns: the strength; nil when it is too weak for eight bits.
    package static func rssi(at distance: Int64, measuredPower: Int8) -> Int8? {
        (Int8.min...Int8.max).first { Self.distance(rssi: $0, measuredPower: measuredPower) <= distance }
            .flatMap { $0 > .min ? $0 : nil }
    }
}
