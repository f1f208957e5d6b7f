internal import WhereaboutsVocabulary

extension GroupRoster: Signable {
    package static var domain: String { "whereabouts/group/v1" }

    package var signer: PublicIdentity { self.founder }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.group.bytes)
        writer.fixed(self.founder.bytes)
        writer.integer(self.number)
        writer.fixed(self.seed)
        writer.integer(UInt8(clamping: self.members.count))
        for member in self.members { member.write(to: &writer) }
    }

    package init(from reader: inout ByteReader) throws {
        let group = try reader.value(GroupID.byteCount, GroupID.init(bytes:))
        let founder = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let number = try reader.integer(UInt64.self)
        let seed = try reader.fixed(GroupOffer.secretByteCount)
        let count = Int(try reader.integer(UInt8.self))
        guard (1...SharingGroup.membersMax).contains(count) else {
            throw reader.error("a group has 1 to \(SharingGroup.membersMax) members, not \(count)")
        }
        let members = try (0..<count).map { _ in try Member(from: &reader) }
        guard Set(members.map(\.person)).count == count, members.first?.person == founder else {
            throw reader.error("the founder must be the first member, and no member may be listed twice")
        }
        self.init(group: group, founder: founder, number: number, seed: seed, members: members)
    }
}

extension GroupRoster.Member {
    func write(to writer: inout ByteWriter) {
        writer.fixed(self.person.bytes)
        writer.counted(Array(self.name.utf8))
    }

    init(from reader: inout ByteReader) throws {
        let person = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        self.init(person: person, name: try reader.groupName())
    }
}

extension GroupOffer {
    func write(to writer: inout ByteWriter) {
        writer.fixed(self.id.bytes)
        writer.fixed(self.founder.bytes)
        writer.counted(Array(self.name.utf8))
        writer.integer(self.precision.rawValue)
        writer.integer(self.notAfter.milliseconds)
        writer.counted(self.mailbox)
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            id: try reader.value(GroupID.byteCount, GroupID.init(bytes:)),
            founder: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            name: try reader.groupName(),
            precision: try reader.enumeration(),
            notAfter: try reader.time(),
            mailbox: try reader.counted()
        )
        guard [0, Self.secretByteCount].contains(self.mailbox.count) else {
            throw reader.error("a mailbox has \(Self.secretByteCount) bytes, not \(self.mailbox.count)")
        }
    }
}

extension ByteReader {
    /// Reads the name of a group or a member; rejects a name that cannot be shown and stored exactly as it was signed.
    fileprivate mutating func groupName() throws -> String {
        guard let name = String(validating: try self.counted(), as: UTF8.self),
            name == (try? GivenName.checked(name, bytesMax: SharingGroup.nameBytesMax))
        else { throw self.error("a name is empty, too long, or contains control characters") }
        return name
    }
}
