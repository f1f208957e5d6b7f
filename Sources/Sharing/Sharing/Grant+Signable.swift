internal import WhereaboutsVocabulary

extension Grant: Signable {
    /// The fields that follow, in one byte, as bits.
    private struct Form: OptionSet {
        let rawValue: UInt8

        static let full = Form(rawValue: 1)
        static let hours = Form(rawValue: 2)
        static let uses = Form(rawValue: 4)
        static let asks = Form(rawValue: 8)
        static let follow = Form(rawValue: 16)
        static let all: Form = [.full, .hours, .uses, .asks, .follow]
    }

    package static var domain: String { "whereabouts/grant/v1" }
    /// The domain of a grant that sets more than one of version 1 can.
    static var secondDomain: String { "whereabouts/grant/v2" }

    package var domain: String { self.isOfVersion1 ? Self.domain : Self.secondDomain }

    /// Whether the grant sets nothing that version 1 lacks: it is then written as one, for servers and devices that know no other.
    var isOfVersion1: Bool {
        self.hours == nil && self.usesMax == nil && !self.asksPerson && self.followMinutesMax == nil
    }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.id.bytes)
        writer.fixed(self.sharer.bytes)
        writer.fixed(self.requester.bytes)
        var form: Form = self.precision == .full ? .full : []
        if self.hours != nil { form.insert(.hours) }
        if self.usesMax != nil { form.insert(.uses) }
        if self.asksPerson { form.insert(.asks) }
        if self.followMinutesMax != nil { form.insert(.follow) }
        writer.integer(form.rawValue)
        writer.integer(self.notBefore.milliseconds)
        writer.integer(self.notAfter.milliseconds)
        writer.integer(self.intervalMin)
        self.hours?.write(to: &writer)
        if let usesMax = self.usesMax { writer.integer(usesMax) }
        if let followMinutesMax = self.followMinutesMax { writer.integer(followMinutesMax) }
    }

    package init(from reader: inout ByteReader) throws {
        let id = try reader.value(GrantID.byteCount, GrantID.init(bytes:))
        let sharer = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let requester = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let form = Form(rawValue: try reader.integer())
        guard Form.all.isSuperset(of: form) else {
            throw reader.error("\(form.rawValue) is no form of a grant of version 1 or 2")
        }
        let (notBefore, notAfter) = (try reader.time(), try reader.time())
        let intervalMin = try reader.integer(UInt32.self)
        let hours = form.contains(.hours) ? try DayHours(from: &reader) : nil
        let usesMax = form.contains(.uses) ? try reader.integer(UInt16.self) : nil
        guard usesMax != 0 else { throw reader.error("a grant for no use allows nothing") }
        let followMinutesMax = form.contains(.follow) ? try reader.integer(UInt16.self) : nil
        if let followMinutesMax, !(1...Grant.followMinutesLimit).contains(followMinutesMax) {
            throw reader.error("a following of \(followMinutesMax) min cannot be allowed")
        }
        self.init(
            id: id,
            sharer: sharer,
            requester: requester,
            precision: form.contains(.full) ? .full : .reduced,
            notBefore: notBefore,
            notAfter: notAfter,
            intervalMin: intervalMin,
            hours: hours,
            usesMax: usesMax,
            asksPerson: form.contains(.asks),
            followMinutesMax: followMinutesMax
        )
    }
}

extension Signed where Value == Grant {
    private static let prefix = "grant-v1."
    private static let secondPrefix = "grant-v2."

    /// The grant as one line of text, to be handed to the requester.
    public var text: String {
        (self.value.isOfVersion1 ? Self.prefix : Self.secondPrefix) + Base64URL.text(of: self.bytes)
    }

    /// Whether a text is meant to be a grant: it begins as one does.
    public static func begins(_ text: String) -> Bool {
        [Self.prefix, Self.secondPrefix].contains { text.hasPrefix($0) }
    }

    /// Reads what ``text`` writes, with or without white space around it, and checks the sharer's signature.
    ///
    /// - Throws: ``SharingError`` when the text is no grant, or was changed.
    public init(text: String) throws {
        let line = text.split(whereSeparator: \.isWhitespace)
        let malformed = SharingError(
            .badText,
            "this is no grant: one line that begins with \(Self.prefix) or \(Self.secondPrefix) is due; "
                + "copy the whole line that `whereabouts accept` or `approve` printed"
        )
        guard line.count == 1, let body = line.first,
            let prefix = [Self.prefix, Self.secondPrefix].first(where: { body.hasPrefix($0) }),
            let bytes = Base64URL.bytes(of: body.dropFirst(prefix.count))
        else { throw malformed }
        do {
            self = try Self(bytes: bytes)
        } catch let error as SharingError where error.code == .badBytes {
            throw SharingError(
                .badBytes,
                "This grant is incomplete or damaged. Ask for it again and copy the whole line."
            )
        }
        guard prefix == (self.value.isOfVersion1 ? Self.prefix : Self.secondPrefix) else { throw malformed }
        _ = try self.verified()
    }
}
