internal import WhereaboutsVocabulary

extension JournalLine: Signable {
    private enum Tag: UInt8 {
        case answered = 1
        case ended = 2
        case over = 3
        case occurrenceAnswered = 4
    }

    package static var domain: String { "whereabouts/journal/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.integer(self.number)
        writer.fixed(self.previous)
        writer.fixed(self.sharer.bytes)
        writer.integer(self.entry.time.milliseconds)
        writer.fixed(self.entry.request.bytes)
        writer.fixed(self.entry.grant.bytes)
        switch self.entry.event {
        case .answered(let content, let requester, let asked):
            writer.integer((self.entry.schedule == nil ? Tag.answered : .occurrenceAnswered).rawValue)
            if let schedule = self.entry.schedule { writer.fixed(schedule.bytes) }
            writer.fixed(requester.bytes)
            writer.integer(asked.rawValue)
            content.write(to: &writer)
        case .ended(let end):
            writer.integer(Tag.ended.rawValue)
            writer.integer(end.rawValue)
        case .over(let reason):
            writer.integer(Tag.over.rawValue)
            writer.integer(reason.rawValue)
        }
    }

    package init(from reader: inout ByteReader) throws {
        let number = try reader.integer(UInt64.self)
        let previous = try reader.fixed(JournalLine.hashByteCount)
        let sharer = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let time = try reader.time()
        let request = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
        let grant = try reader.value(GrantID.byteCount, GrantID.init(bytes:))
        let event: JournalEntry.Event
        let tag = try reader.enumeration(Tag.self)
        let schedule = tag == .occurrenceAnswered ? try reader.value(RequestID.byteCount, RequestID.init(bytes:)) : nil
        switch tag {
        case .answered, .occurrenceAnswered:
            let requester = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
            let asked = try reader.enumeration(Precision.self)
            event = .answered(try Answer.Content(from: &reader), to: requester, asked: asked)
        case .ended: event = .ended(try reader.enumeration())
        case .over: event = .over(try reader.enumeration())
        }
        let entry = JournalEntry(time: time, request: request, grant: grant, schedule: schedule, event: event)
        self.init(number: number, previous: previous, sharer: sharer, entry: entry)
    }
}
