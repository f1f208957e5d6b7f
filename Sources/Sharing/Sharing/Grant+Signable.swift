internal import WhereaboutsVocabulary

extension Grant: Signable {
    /// A byte of flags: the precision, whether the person is asked, and which optional fields follow.
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
            throw reader.error("\(form.rawValue) is not a form of a grant")
        }
        let (notBefore, notAfter) = (try reader.time(), try reader.time())
        let intervalMin = try reader.integer(UInt32.self)
        let hours = form.contains(.hours) ? try DayHours(from: &reader) : nil
        let usesMax = form.contains(.uses) ? try reader.integer(UInt16.self) : nil
        guard usesMax != 0 else { throw reader.error("a grant with zero uses allows nothing") }
        let followMinutesMax = form.contains(.follow) ? try reader.integer(UInt16.self) : nil
        if let followMinutesMax, !(1...Grant.followMinutesLimit).contains(followMinutesMax) {
            throw reader.error("a live share of \(followMinutesMax) min cannot be allowed")
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

    /// The grant as one line of text, to send to the requester.
    public var text: String {
        Self.prefix + Base64URL.text(of: self.bytes)
    }

    /// Whether a text has a grant's prefix.
    public static func begins(_ text: String) -> Bool {
        text.hasPrefix(Self.prefix)
    }

    /// Reads ``text``, with or without white space around it, and checks the sharer's signature.
    ///
    /// - Throws: ``SharingError`` when the text is not a grant, or was changed.
    public init(text: String) throws {
        let line = text.unwrapped
        guard Self.begins(line), !line.contains(where: \.isWhitespace) else {
            throw SharingError(
                .badText,
                "This is not a grant: expected one line that begins with \(Self.prefix). "
                    + "Copy the whole line that `whereabouts accept` or `approve` printed."
            )
        }
        try self.init(pasted: line.dropFirst(Self.prefix.count))
    }
}
