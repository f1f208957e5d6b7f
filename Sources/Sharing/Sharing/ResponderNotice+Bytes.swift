internal import WhereaboutsVocabulary

extension ResponderNotice {
    private enum Kind: UInt8 {
        case alert = 1
        case ended = 2
    }

    /// The content of the push, without the padding.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .alert(let alert, let opening):
            writer.integer(Kind.alert.rawValue)
            writer.fixed(alert.bytes)
            writer.fixed(opening.bytes)
        case .ended(let alert, let end):
            writer.integer(Kind.ended.rawValue)
            writer.fixed(alert.bytes)
            writer.integer(end.number)
        }
        return writer.bytes
    }

    /// Reads ``bytes``, without checking signatures.
    package init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the push to a volunteer")
        switch try reader.enumeration(Kind.self) {
        case .alert:
            let alert = try Signed<SealedAlert>(from: &reader)
            self = .alert(alert, of: try Signed<IncidentOpening>(from: &reader))
        case .ended:
            let alert = try reader.value(AlertID.byteCount, AlertID.init(bytes:))
            let number = try reader.integer(UInt8.self)
            guard let end = Responder.End(number: number) else { throw reader.error("\(number) is not an end") }
            self = .ended(alert, end)
        }
        try reader.end()
    }
}

extension Responder.End {
    private static let all: [Responder.End] = [
        .enough, .incident(.stoodDown), .incident(.cancelled), .incident(.expired), .incident(.displaced), .undelivered,
        .byVolunteer,
    ]

    /// The number of the end in messages and in stores, from 1.
    package var number: UInt8 {
        switch self {
        case .enough: 1
        case .incident(.stoodDown): 2
        case .incident(.cancelled): 3
        case .incident(.expired): 4
        case .incident(.displaced): 5
        case .undelivered: 6
        case .byVolunteer: 7
        }
    }

    /// Finds the end with a number.
    package init?(number: UInt8) {
        guard let end = Self.all.first(where: { $0.number == number }) else { return nil }
        self = end
    }
}
