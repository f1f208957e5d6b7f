/// The keys that were replaced: this person's own, and those of friends.
extension SharingProfile {
    /// The messages that connect this person's earlier keys with the present one, the oldest first.
    ///
    /// A friend may have accepted none of the earlier lines, so each new line has them all, up to ``HandedText/successionsMax``.
    package var successions: [Signed<KeySuccession>] {
        return (self.folder.text(of: "successions") ?? "").split(separator: "\n").compactMap { try? Signed(text: $0) }
    }

    /// Signs, with the old profile's key, the message that names this profile's key as its successor.
    func succeed(_ old: SharingProfile) throws {
        let succession = try old.identity.sign(
            KeySuccession(old: old.identity.publicIdentity, new: self.identity.publicIdentity, issued: .now)
        )
        let all = (old.successions + [succession]).suffix(HandedText.successionsMax)
        try self.folder.replace("successions", Array(all.map { "\($0.text)\n" }.joined().utf8))
    }

    /// Returns the key under which this profile knows the author of these messages.
    package func known(
        in successions: [Signed<KeySuccession>]
    ) throws -> (old: PublicIdentity, new: PublicIdentity, name: String) {
        guard let last = successions.last?.value else { preconditionFailure("the line has no succession") }
        for old in successions.map(\.value.old).reversed() {
            if let name = self.name(of: old) { return (old, last.new, name) }
        }
        if let name = self.name(of: last.new) { return (last.old, last.new, name) }
        throw SharingError(
            .notForUs,
            "This line replaces a key that you do not know, or that was replaced before. If your friend sent you other lines, "
                + "accept them first. If you accepted a key that is not your friend's, somebody else has their old key: call "
                + "them, and run `whereabouts revoke` for the name that you know."
        )
    }
}
