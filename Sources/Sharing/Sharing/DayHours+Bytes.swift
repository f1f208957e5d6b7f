extension DayHours {
    /// The beginning, the end, and the zone's rule.
    func write(to writer: inout ByteWriter) {
        writer.integer(self.begin)
        writer.integer(self.end)
        writer.integer(self.zone.offset)
        guard let daylight = self.zone.daylight else { return writer.integer(UInt8(0)) }
        writer.integer(UInt8(1))
        writer.integer(daylight.offset)
        for moment in [daylight.begin, daylight.end] {
            writer.integer(moment.month)
            writer.integer(moment.week)
            writer.integer(moment.weekday)
            writer.integer(moment.minute)
        }
    }

    /// Reads the form of ``write(to:)``.
    init(from reader: inout ByteReader) throws {
        let (begin, end) = (try reader.integer(UInt16.self), try reader.integer(UInt16.self))
        guard let zone = try Self.zone(from: &reader), let hours = DayHours(from: begin, to: end, zone: zone) else {
            throw reader.error("the hours are empty or not within a day")
        }
        self = hours
    }

    private static func zone(from reader: inout ByteReader) throws -> ZoneRule? {
        let offset = try reader.integer(Int16.self)
        switch try reader.integer(UInt8.self) {
        case 0: return ZoneRule(offset: offset)
        case 1:
            let moved = try reader.integer(Int16.self)
            guard let begin = try Self.moment(from: &reader), let end = try Self.moment(from: &reader),
                let daylight = ZoneRule.Daylight(offset: moved, begin: begin, end: end)
            else { return nil }
            return ZoneRule(offset: offset, daylight: daylight)
        default: return nil
        }
    }

    private static func moment(from reader: inout ByteReader) throws -> ZoneRule.Yearly? {
        ZoneRule.Yearly(
            month: try reader.integer(),
            week: try reader.integer(),
            weekday: try reader.integer(),
            minute: try reader.integer()
        )
    }
}
