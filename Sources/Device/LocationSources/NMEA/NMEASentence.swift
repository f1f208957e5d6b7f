/// One NMEA 0183 sentence with a valid checksum: its type, its talker and its fields.
///
/// Each sentence reuses the memory of the one before: a decoder reads about a hundred thousand a second without an allocation.
public struct NMEASentence: Sendable {
    /// The types that are read; the raw value is the formatter, or the maker's name of a proprietary sentence.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Recommended minimum data: position, speed, course, date.
        case rmc = "RMC"
        /// Fix data: position, quality, HDOP, altitude.
        case gga = "GGA"
        /// Fix data of several constellations.
        case gns = "GNS"
        case gll = "GLL"
        /// Active satellites and dilutions of precision.
        case gsa = "GSA"
        /// Standard deviations of the position.
        case gst = "GST"
        case vtg = "VTG"
        case zda = "ZDA"
        case gsv = "GSV"
        case hdt = "HDT"
        case hdm = "HDM"
        /// Heading of a magnetic sensor, its deviation, and the variation.
        case hdg = "HDG"
        /// u-blox's position with the receiver's own estimate of its error.
        case pubx00 = "PUBX,00"
        /// Garmin's own estimate of the position's error.
        case pgrme = "PGRME"

        /// Whether the sentence contains a heading, and belongs to no epoch.
        var isHeading: Bool {
            switch self {
            case .hdt, .hdm, .hdg: true
            case .rmc, .gga, .gns, .gll, .gsa, .gst, .vtg, .zda, .gsv, .pubx00, .pgrme: false
            }
        }
    }

    /// The instrument that sends the sentence: two letters, or one value for all talkers of satellite receivers.
    ///
    /// A receiver of several constellations uses several talkers, which are one instrument.
    enum Talker: Sendable, Hashable {
        /// A satellite receiver: GPS, combined, GLONASS, Galileo, BeiDou, QZSS or NavIC, or a maker's own sentence.
        case satellites
        /// Another instrument, such as a chart plotter that repeats a receiver's positions.
        case other(UInt8, UInt8)
    }

    private(set) var kind = Kind.rmc
    private(set) var talker = Talker.satellites
    /// The two letters, which distinguish the parts of one receiver.
    private(set) var letters: UInt16 = 0
    /// Everything between `$` and the line end.
    private(set) var body: [UInt8] = []
    /// Where each field begins, and the end of the last one plus one; field 0 is the address, as the standard counts.
    private var starts: [UInt8] = []

    /// The bytes between `$` and `*`.
    private var textCount: Int { self.body.count - 3 }

    mutating func clear() { self.body.removeAll(keepingCapacity: true) }

    /// Appends a further part of the body.
    mutating func append(_ bytes: Span<UInt8>) {
        for index in bytes.indices { self.body.append(bytes[index]) }
    }

    /// Completes the sentence: checks it, and finds its fields.
    ///
    /// - Returns: whether the sentence is of a type that is read.
    mutating func close() throws(NMEAError.Rule) -> Bool {
        guard try self.checkedCount() >= 5, let (kind, talker) = self.recognized() else { return false }
        (self.kind, self.talker) = (kind, talker)
        self.letters = UInt16(self.body[0]) << 8 | UInt16(self.body[1])
        self.starts.removeAll(keepingCapacity: true)
        self.starts.append(0)
        for index in 0..<self.textCount where self.body[index] == UInt8(ascii: ",") {
            self.starts.append(UInt8(index + 1))
        }
        self.starts.append(UInt8(self.textCount + 1))
        return true
    }

    /// Checks the checksum.
    ///
    /// - Returns: the number of bytes that the checksum covers.
    private func checkedCount() throws(NMEAError.Rule) -> Int {
        let star = self.textCount
        guard star >= 0, self.body[star] == UInt8(ascii: "*"), let high = Self.hexadecimal(self.body[star + 1]),
            let low = Self.hexadecimal(self.body[star + 2])
        else { throw .noChecksum }
        let body = self.body.span
        var expected: UInt8 = 0
        for index in 0..<star { expected ^= body[index] }
        let found = high << 4 | low
        guard expected == found else { throw .badChecksum(expected: expected, found: found) }
        return star
    }

    /// The kind and the talker of the address; nil when we do not use the sentence.
    private func recognized() -> (Kind, Talker)? {
        let body = self.body.span
        let (first, second) = (body[0], body[1])
        // A talker is two letters; P is a maker's own sentence, and PQ a QZSS receiver's.
        if first == UInt8(ascii: "P"), second != UInt8(ascii: "Q") {
            return Self.makersKind(body, self.textCount).map { ($0, .satellites) }
        }
        guard Self.isLetter(first), Self.isLetter(second), body[5] == UInt8(ascii: ","),
            let kind = Self.kind(body[2], body[3], body[4])
        else { return nil }
        return (kind, Self.talker(first, second))
    }

    private static func kind(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Kind? {
        switch UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third) {
        case 0x47_5356: .gsv
        case 0x52_4D43: .rmc
        case 0x47_4741: .gga
        case 0x47_5341: .gsa
        case 0x56_5447: .vtg
        case 0x47_4C4C: .gll
        case 0x47_4E53: .gns
        case 0x47_5354: .gst
        case 0x5A_4441: .zda
        case 0x48_4454: .hdt
        case 0x48_444D: .hdm
        case 0x48_4447: .hdg
        default: nil
        }
    }

    private static func makersKind(_ body: Span<UInt8>, _ count: Int) -> Kind? {
        func begins(_ text: StaticString) -> Bool {
            guard count > text.utf8CodeUnitCount else { return false }
            return (0..<text.utf8CodeUnitCount).allSatisfy { unsafe body[$0] == text.utf8Start[$0] }
        }
        if begins("PUBX,00,") { return .pubx00 }
        return begins("PGRME,") ? .pgrme : nil
    }

    private static func talker(_ first: UInt8, _ second: UInt8) -> Talker {
        switch UInt16(first) << 8 | UInt16(second) {
        // GP, GN, GL, GA, GB, BD, GQ, QZ, PQ, GI, IR
        case 0x4750, 0x474E, 0x474C, 0x4741, 0x4742, 0x4244, 0x4751, 0x515A, 0x5051, 0x4749, 0x4952: .satellites
        default: .other(first, second)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

    /// The exclusive or of all bytes between `$` and `*`.
    static func checksum(_ body: some Sequence<UInt8>) -> UInt8 {
        body.reduce(0, ^)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The number of fields, the address included.
    var fieldCount: Int { self.starts.count - 1 }

    /// The place of a field in ``body``; empty when the field is missing.
    func range(_ index: Int) -> Range<Int> {
        guard index < self.fieldCount else { return 0..<0 }
        return Int(self.starts[index])..<(Int(self.starts[index + 1]) - 1)
    }
}
