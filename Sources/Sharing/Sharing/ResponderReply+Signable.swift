internal import WhereaboutsVocabulary

extension ResponderReply: Signable {
    private enum Kind: UInt8 {
        case band = 1
        case outOfRange = 2
        case refused = 3
        case accepted = 4
        case enRoute = 5
        case arrived = 6
        case withdrawn = 7
    }

    package static var domain: String { "whereabouts/response/v1" }

    package var signer: PublicIdentity { self.person }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.alert.bytes)
        writer.fixed(self.person.bytes)
        writer.integer(self.number)
        func kind(_ kind: Kind) { writer.integer(kind.rawValue) }
        switch self.answer {
        case .band(let band):
            kind(.band)
            writer.integer(band.rawValue)
        case .outOfRange: kind(.outOfRange)
        case .refused: kind(.refused)
        case .accepted(let sealed):
            kind(.accepted)
            writer.counted(sealed)
        case .enRoute(let sealed):
            kind(.enRoute)
            writer.counted(sealed)
        case .arrived: kind(.arrived)
        case .withdrawn: kind(.withdrawn)
        }
    }

    package init(from reader: inout ByteReader) throws {
        let alert = try reader.value(AlertID.byteCount, AlertID.init(bytes:))
        let person = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let number = try reader.integer(UInt32.self)
        let answer: Responder.Answer =
            switch try reader.enumeration(Kind.self) {
            case .band: .band(try reader.enumeration())
            case .outOfRange: .outOfRange
            case .refused: .refused
            case .accepted: .accepted(sealed: try reader.counted())
            case .enRoute: .enRoute(sealed: try reader.counted())
            case .arrived: .arrived
            case .withdrawn: .withdrawn
            }
        self.init(alert: alert, person: person, number: number, answer: answer)
    }
}
