internal import WhereaboutsVocabulary

extension Answer {
    /// The size to which every answer is padded, so that its length reveals nothing.
    package static let paddedByteCount = 256
    /// The maximum number of bytes of a reason; a longer one is cut.
    package static let reasonByteCountMax = 160

    /// The answer as ``paddedByteCount`` bytes.
    package var paddedBytes: [UInt8] {
        var writer = ByteWriter()
        for timing in [self.timings.started, self.timings.fix, self.timings.sealed] {
            writer.integer(UInt32(clamping: Int64(timing / .milliseconds(1))))
        }
        self.content.write(to: &writer)
        return writer.bytes + Array(repeating: 0, count: Self.paddedByteCount - writer.bytes.count)
    }

    /// Reads ``paddedBytes``.
    package init(paddedBytes: [UInt8]) throws {
        var reader = ByteReader(paddedBytes, name: "the answer")
        func timing() throws -> Duration { .milliseconds(Int64(try reader.integer(UInt32.self))) }
        let timings = DeviceTimings(started: try timing(), fix: try timing(), sealed: try timing())
        self.init(content: try Content(from: &reader), timings: timings)
        guard self.paddedBytes == paddedBytes else {
            throw reader.error("its padding is not zero, or its size not 256")
        }
    }
}

extension Answer.Content {
    private enum Tag: UInt8 {
        case fix = 1
        case refusal = 2
        case unavailable = 3
    }

    /// Writes the content in the form of an answer and a journal line.
    func write(to writer: inout ByteWriter) {
        switch self {
        case .fix(let fix):
            writer.integer(Tag.fix.rawValue)
            fix.write(to: &writer)
        case .refusal(let rule):
            writer.integer(Tag.refusal.rawValue)
            writer.integer(rule.rawValue)
        case .unavailable(let reason):
            writer.integer(Tag.unavailable.rawValue)
            writer.counted(Self.cut(reason))
        }
    }

    /// Reads the format that ``write(to:)`` writes.
    init(from reader: inout ByteReader) throws {
        self =
            switch try reader.enumeration(Tag.self) {
            case .fix: .fix(try SharedFix(from: &reader))
            case .refusal: .refusal(try reader.enumeration())
            case .unavailable: .unavailable(String(decoding: try reader.counted(), as: UTF8.self))
            }
    }

    private static func cut(_ reason: String) -> [UInt8] {
        var text = reason
        while text.utf8.count > Answer.reasonByteCountMax { text.removeLast() }
        return Array(text.utf8)
    }
}

extension SharedFix {
    /// Writes the fix as bytes; answers, journal lines and live-share updates use the same format.
    func write(to writer: inout ByteWriter) {
        writer.integer(Int32((self.latitude * 1e7).rounded()))
        writer.integer(Int32((self.longitude * 1e7).rounded()))
        writer.integer(UInt32((self.horizontalAccuracy * 1e3).rounded()))
        writer.integer(self.time.milliseconds)
        writer.integer(
            UInt8((self.altitude == nil ? 0 : 1) | (self.course == nil ? 0 : 2) | (self.speed == nil ? 0 : 4))
        )
        writer.integer(Int32(((self.altitude ?? 0) * 1e3).rounded()))
        writer.integer(UInt16(((self.course ?? 0) * 1e2).rounded()))
        writer.integer(UInt32(((self.speed ?? 0) * 1e3).rounded()))
    }

    /// Reads the format that ``write(to:)`` writes.
    init(from reader: inout ByteReader) throws {
        let latitude = Double(try reader.integer(Int32.self)) / 1e7
        let longitude = Double(try reader.integer(Int32.self)) / 1e7
        let accuracy = Double(try reader.integer(UInt32.self)) / 1e3
        let time = try reader.time()
        let flags = try reader.integer(UInt8.self)
        let altitude = Double(try reader.integer(Int32.self)) / 1e3
        let course = Double(try reader.integer(UInt16.self)) / 1e2
        let speed = Double(try reader.integer(UInt32.self)) / 1e3
        try self.init(
            latitude: latitude,
            longitude: longitude,
            horizontalAccuracy: accuracy,
            time: time,
            altitude: flags & 1 == 0 ? nil : altitude,
            course: flags & 2 == 0 ? nil : course,
            speed: flags & 4 == 0 ? nil : speed
        )
    }
}
