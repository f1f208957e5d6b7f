internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsSharing

/// Tests for the rule for names that people give to their devices, to others, and to themselves.
struct GivenNameTests {
    private static let bad = [
        "", " ", "   ", "\t", "\u{A0}\u{2003}", "\u{200B}", "\u{200D}", "\u{3164}", "\u{2800}", "\u{FE0F}",
        "a\u{202E}b", "\u{2066}a",
        "a\nb", "a\u{7}b", "a\u{7F}", "a\u{9B}31m", "a\u{2028}b", "\u{1B}[2J", String(repeating: "é", count: 40),
        // Invalid names: another person's safety number, the ID of a grant.
        "12345 67890 12345 67890 12345 67890", "١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨",
        "Bob: 12345-67890-12345-67890-12345-67890",
        "0123456789abcdef0123456789abcdef", "0123456789ABCDEF-0123456789abcde",
    ]
    private static let good = [
        ("Phone", "Phone"), ("  Ada’s phone ", "Ada’s phone"), ("👩‍👧", "👩‍👧"), ("می‌خواهم", "می‌خواهم"), ("آدا", "آدا"),
        ("-", "-"), ("é", "é"), ("+49 40 123456-7890", "+49 40 123456-7890"), ("decade facade", "decade facade"),
    ]

    @Test(arguments: Self.bad) func whatIsNoNameIsRefusedWhereverItEnters(_ text: String) throws {
        #expect(throws: SharingError(.badText, "")) { try GivenName.checked(text, bytesMax: 62) }
        let directory = try TemporaryDirectory()
        let (profile, other) = (try directory.profile("a"), try Pair().requester.publicIdentity)
        #expect(throws: SharingError(.badText, "")) { try profile.call(other, text) }
        #expect(profile.name(of: other) == nil)
        #expect(throws: SharingError(.badText, "")) { try profile.invitation(name: text) }
        // A device may have no name.
        if !text.isEmpty { #expect(throws: SharingError(.badText, "")) { try DeviceName.checked(text) } }
    }

    @Test(arguments: Self.good) func aNameIsKeptWithoutBlanksAtItsEnds(_ text: String, _ name: String) throws {
        #expect(try GivenName.checked(text, bytesMax: 62) == name)
        #expect(try DeviceName.checked(text) == name)
        let directory = try TemporaryDirectory()
        let (profile, other) = (try directory.profile("a"), try Pair().requester.publicIdentity)
        try profile.call(other, text)
        #expect(profile.name(of: other) == name)
    }

    /// Goal: a name stays complete in an invitation, and is found as its person types it.
    @Test(arguments: [
        ("Zoë 👩‍👩‍👧 Müller", "zoe\u{308} 👩👩👧 MÜLLER"), ("علی‌رضا", "علی‌رضا"), ("علی‌رضا", "علیرضا"), ("Alice 🌍", "alice 🌍 "),
        ("Weiß", "WEISS"), ("é", "e\u{301}"),
    ]) func aNameIsFoundAsItIsTyped(_ name: String, _ typed: String) throws {
        let directory = try TemporaryDirectory()
        let (profile, pair) = (try directory.profile("a"), try Pair())
        #expect(try profile.invitation(name: name).value.name == name)
        #expect(try profile.invitation(name: name).value.name.unicodeScalars.elementsEqual(name.unicodeScalars))
        try profile.call(pair.requester.publicIdentity, name)
        #expect(
            profile.calls(pair.requester.publicIdentity, name) && profile.calls(pair.requester.publicIdentity, typed)
        )
        #expect(
            !profile.calls(pair.requester.publicIdentity, "\(typed)x")
                && !profile.calls(pair.sharer.publicIdentity, typed)
        )
        #expect(SharingError(.badText, "there is no grant '\(name)'").message.contains(name))
        // A second name that the same words would match.
        #expect(throws: SharingError(.badText, "")) { try profile.call(pair.sharer.publicIdentity, typed) }
    }

    /// Goal: a name that another program wrote can be printed safely.
    @Test(arguments: [("   ", ""), ("a\u{202E}b", "a b"), ("Phone", "Phone"), ("\u{200B}", "")])
    func namesOfOthersAreShownPlainly(_ text: String, _ shown: String) throws {
        #expect(GivenName.shown(text, bytesMax: 62) == shown)
    }
}
