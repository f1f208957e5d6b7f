extension NMEASentence {
    /// The heading in a sentence; nil for other sentences, and when the field is empty.
    func heading() throws(NMEAError.Rule) -> SourceHeading? {
        switch self.kind {
        case .hdt:
            return try self.number(1, in: 0...360).map { SourceHeading(magnetic: nil, geographic: $0) }
        case .hdm:
            return try self.number(1, in: 0...360).map { SourceHeading(magnetic: $0, geographic: nil) }
        case .hdg:
            guard let sensed = try self.number(1, in: 0...360) else { return nil }
            // Without a deviation field, assume a compensated sensor.
            let deviation = try self.eastward(2) ?? 0
            return SourceHeading(magnetic: sensed + deviation, geographic: nil, variation: try self.eastward(4))
        case .rmc, .gga, .gns, .gll, .gsa, .gst, .vtg, .zda, .gsv, .pubx00, .pgrme:
            return nil
        }
    }

    /// An angle with `E` or `W` behind it, east positive.
    private func eastward(_ index: Int) throws(NMEAError.Rule) -> Double? {
        guard let angle = try self.number(index, in: 0...180) else { return nil }
        switch self.flag(index + 1) {
        case UInt8(ascii: "E"): return angle
        case UInt8(ascii: "W"): return -angle
        default: throw .badField(sentence: self.kind, field: index + 1)
        }
    }
}
