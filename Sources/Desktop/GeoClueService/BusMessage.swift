internal import WhereaboutsCSystemBus
internal import WhereaboutsGeoClue

/// A message of the bus; values are read from its beginning, or appended to its end.
@safe final class BusMessage {
    enum Kind: UInt8 {
        case call = 1
        case reply
        case error
        case signal
    }

    let handle: OpaquePointer

    init(owning handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { _ = unsafe sd_bus_message_unref(self.handle) }

    // MARK: The head

    var kind: Kind? {
        var kind: UInt8 = 0
        _ = unsafe sd_bus_message_get_type(self.handle, &kind)
        return Kind(rawValue: kind)
    }

    var sender: String { unsafe Self.text(sd_bus_message_get_sender(self.handle)) }
    var path: String { unsafe Self.text(sd_bus_message_get_path(self.handle)) }
    /// The interface; empty: the caller left it out.
    var interface: String { unsafe Self.text(sd_bus_message_get_interface(self.handle)) }
    var member: String { unsafe Self.text(sd_bus_message_get_member(self.handle)) }
    var expectsReply: Bool { unsafe sd_bus_message_get_expect_reply(self.handle) > 0 }

    /// The number of the message to which this one is the answer.
    var replyCookie: UInt64? {
        var cookie: UInt64 = 0
        return unsafe sd_bus_message_get_reply_cookie(self.handle, &cookie) >= 0 ? cookie : nil
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(cString: pointer)
    }

    // MARK: Reading

    /// Reads a text or a path; nil: the next value has another type.
    func readText(_ type: UInt8 = UInt8(ascii: "s")) -> String? {
        var pointer: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(self.handle, CChar(type), &pointer) > 0, let pointer = unsafe pointer
        else {
            return nil
        }
        return unsafe String(cString: pointer)
    }

    /// Reads this many texts; nil: a value has another type.
    func readTexts(_ count: Int) -> [String]? {
        var texts: [String] = []
        for _ in 0..<count {
            guard let text = self.readText() else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// Reads a `u`.
    func readNumber() -> UInt32? {
        var number: UInt32 = 0
        return unsafe sd_bus_message_read_basic(self.handle, CChar(UInt8(ascii: "u")), &number) > 0 ? number : nil
    }

    /// Reads a `b`.
    func readFlag() -> Bool? {
        var flag: Int32 = 0
        return unsafe sd_bus_message_read_basic(self.handle, CChar(UInt8(ascii: "b")), &flag) > 0 ? flag != 0 : nil
    }

    /// Reads a variant; nil: its type is not that of a settable property.
    func readVariant() -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_peek_type(self.handle, &type, &contents) > 0, type == CChar(UInt8(ascii: "v")),
            let contents = unsafe contents, unsafe sd_bus_message_enter_container(self.handle, type, contents) > 0
        else { return nil }
        // Leave the container again, so that the next value can be read.
        defer { _ = unsafe sd_bus_message_exit_container(self.handle) }
        switch unsafe String(cString: contents) {
        case "u": return self.readNumber().map { .number($0) }
        case "s": return self.readText().map { .text($0) }
        default:
            _ = unsafe sd_bus_message_skip(self.handle, nil)
            return nil
        }
    }

    /// Whether the message has no further values.
    var isRead: Bool { unsafe sd_bus_message_at_end(self.handle, 1) > 0 }

    // MARK: Writing

    func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .flag(let flag): try self.append(Int32(flag ? 1 : 0), UInt8(ascii: "b"))
        case .number(let number): try self.append(number, UInt8(ascii: "u"))
        case .text(let text): try self.append(text, UInt8(ascii: "s"))
        case .path(let path): try self.append(path, UInt8(ascii: "o"))
        case .double(let double): try self.append(double, UInt8(ascii: "d"))
        case .time(let seconds, let microseconds):
            try self.open(UInt8(ascii: "r"), "tt")
            try self.append(seconds, UInt8(ascii: "t"))
            try self.append(microseconds, UInt8(ascii: "t"))
            try self.close()
        }
    }

    func appendVariant(_ value: BusValue) throws(BusError) {
        try self.open(UInt8(ascii: "v"), value.signature)
        try self.append(value)
        try self.close()
    }

    /// Writes properties as a dictionary, `a{sv}`.
    func append(_ entries: [BusAnswer.Entry]) throws(BusError) {
        try self.open(UInt8(ascii: "a"), "{sv}")
        for entry in entries {
            try self.open(UInt8(ascii: "e"), "sv")
            try self.append(entry.name, UInt8(ascii: "s"))
            try self.appendVariant(entry.value)
            try self.close()
        }
        try self.close()
    }

    /// Writes an empty array of texts, `as`.
    func appendNoTexts() throws(BusError) {
        try self.open(UInt8(ascii: "a"), "s")
        try self.close()
    }

    private func append(_ text: String, _ type: UInt8) throws(BusError) {
        try BusError.check(
            unsafe text.withCString { unsafe sd_bus_message_append_basic(self.handle, CChar(type), $0) },
            "cannot write a text"
        )
    }

    private func append(_ value: some BitwiseCopyable, _ type: UInt8) throws(BusError) {
        try BusError.check(
            unsafe withUnsafePointer(to: value) { unsafe sd_bus_message_append_basic(self.handle, CChar(type), $0) },
            "cannot write a number"
        )
    }

    private func open(_ type: UInt8, _ contents: String) throws(BusError) {
        try BusError.check(unsafe sd_bus_message_open_container(self.handle, CChar(type), contents), "cannot write")
    }

    private func close() throws(BusError) {
        try BusError.check(unsafe sd_bus_message_close_container(self.handle), "cannot write")
    }
}
