internal import WhereaboutsVocabulary

extension FollowedUpdate {
    /// The size every update is padded to, so that its length does not tell whether the device moves.
    package static let paddedByteCount = 128
    /// The maximum number of bytes of the reason why there is no position; a longer one is cut.
    package static let reasonByteCountMax = 96

    /// The update as ``paddedByteCount`` bytes.
    package var paddedBytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(self.number.run)
        writer.integer(self.number.count)
        writer.integer(self.time.milliseconds)
        writer.integer(self.silenceMax)
        self.place.write(to: &writer)
        return writer.bytes + Array(repeating: 0, count: Self.paddedByteCount - writer.bytes.count)
    }

    /// Reads ``paddedBytes``.
    package init(paddedBytes: [UInt8]) throws {
        var reader = ByteReader(paddedBytes, name: "the update")
        self.init(
            number: Number(run: try reader.integer(), count: try reader.integer()),
            time: try reader.time(),
            silenceMax: try reader.integer(),
            place: try FollowedPlace(from: &reader)
        )
        guard self.paddedBytes == paddedBytes else {
            throw reader.error("its padding is not zero, or its size not \(Self.paddedByteCount)")
        }
    }
}

extension FollowedPlace {
    private enum Tag: UInt8 {
        case moving = 1
        case still = 2
        case unknown = 3
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .moving(let fix):
            writer.integer(Tag.moving.rawValue)
            fix.write(to: &writer)
        case .still(let fix, let since):
            writer.integer(Tag.still.rawValue)
            writer.integer(since.milliseconds)
            fix.write(to: &writer)
        case .unknown(let reason):
            writer.integer(Tag.unknown.rawValue)
            writer.counted(Array(PlainText.of(reason, bytesMax: FollowedUpdate.reasonByteCountMax).utf8))
        }
    }

    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.enumeration(Tag.self) {
        case .moving: self = .moving(try SharedFix(from: &reader))
        case .still:
            let since = try reader.time()
            self = .still(try SharedFix(from: &reader), since: since)
        case .unknown: self = .unknown(String(decoding: try reader.counted(), as: UTF8.self))
        }
    }
}
