internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsCommand

/// Tests for groups over real TLS: three people, one invitation each.
struct GroupTests {
    private let town: Town

    init() throws {
        self.town = try Town()
    }

    private func people(_ names: String..., port: Int) throws -> [Sharer] {
        try names.map { name in
            let sharer = try Sharer(profile: self.town.profile(name, port: port))
            try sharer.profile.call(sharer.profile.identity.publicIdentity, name)
            return sharer
        }
    }

    /// The first person creates a group, and confirms the others.
    private func found(by people: [Sharer]) async throws -> GroupID {
        let founder = people[0].profile
        let offer = try founder.groups.found("family", precision: .full, for: .seconds(7200)).offer
        for member in people.dropFirst() {
            let name = member.profile.name(of: member.profile.identity.publicIdentity) ?? ""
            try founder.confirm(member.profile.join(offer, as: name).value, as: name)
        }
        return offer.id
    }

    private func tend(_ people: [Sharer]) async throws {
        for person in people { try await person.groups.tend() }
    }

    /// The people whom each member may ask, by the member's names for them.
    private func askable(_ person: Sharer) throws -> [String] {
        try person.profile.received().compactMap { person.profile.name(of: $0.value.sharer) }.sorted()
    }

    @Test func everyMemberMayAskEveryOther() async throws {
        try await self.town.withServer { port in
            let people = try self.people("Alice", "Bob", "Carol", port: port)
            let group = try await self.found(by: people)
            try await self.tend(people)
            // Bob came before Carol's grant.
            try await self.tend(Array(people.prefix(2)))
            #expect(try self.askable(people[0]) == ["Bob", "Carol"])
            #expect(try self.askable(people[1]) == ["Alice", "Carol"])
            #expect(try self.askable(people[2]) == ["Alice", "Bob"])
            let ends = try people.flatMap { try $0.profile.received() }.map(\.value.notAfter)
            let end = try #require(try people[0].profile.groups.group(group)?.offer.notAfter)
            #expect(ends.allSatisfy { abs($0.duration(to: end) / .seconds(1)) < 1 })
            for person in people { #expect(try person.profile.grants().count == 2) }
            try await self.tend(people)
            for person in people { #expect(try person.profile.grants().count == 2) }
            // An ordinary grant.
            try await people[1].register(deviceToken: Town.token, topic: Town.topic)
            let toCarol = try #require(
                try people[2].profile.received().first { $0.value.sharer == people[1].profile.identity.publicIdentity }
            )
            let requester = try Requester(profile: people[2].profile)
            async let asked = requester.updates(toCarol)
            try await people[1].respond(to: self.town.received(by: people[1])) { try Town.measure() }
            guard case .fix = await asked.last?.answer?.content else {
                Issue.record("no position")
                return
            }
            // A revocation lasts: the group gives no new grant.
            try await people[1].revoke(toCarol)
            try await self.tend(people)
            #expect(try people[1].profile.grants().count == 2)
        }
    }

    /// Goal: without the founder, a person with the invitation, and the server, can neither join nor learn anything.
    @Test func anUnconfirmedPersonIsNoMember() async throws {
        try await self.town.withServer { port in
            let people = try self.people("Alice", "Bob", "Eve", port: port)
            let group = try await self.found(by: Array(people.prefix(2)))
            let offer = try #require(try people[0].profile.groups.group(group)).offer
            _ = try people[2].profile.join(offer, as: "Eve")
            try await self.tend(people)
            try await self.tend(people)
            #expect(try people[2].profile.groups.group(group)?.state == .waiting)
            #expect(try people[2].profile.received().isEmpty && people[2].profile.grants().isEmpty)
            for person in people.prefix(2) { #expect(try person.profile.grants().count == 1) }
        }
    }

    @Test func aRemovedMemberMayNotAskAndIsNotAsked() async throws {
        try await self.town.withServer { port in
            let people = try self.people("Alice", "Bob", "Carol", port: port)
            let group = try await self.found(by: people)
            try await self.tend(people)
            try await self.tend(people)
            let carol = people[2].profile.identity.publicIdentity
            await #expect(throws: SharingError(.badText, "")) { try await people[1].groups.remove(carol, from: group) }
            try await people[0].groups.remove(carol, from: group)
            try await self.tend(Array(people.dropFirst()))
            for person in people.prefix(2) {
                let grants = try person.profile.grants().filter { !person.profile.isRevoked($0.value.id) }
                #expect(grants.count == 1 && grants.first?.value.requester != carol)
            }
            #expect(try people[2].profile.groups.group(group)?.state == .removed)
            #expect(try people[2].profile.grants().allSatisfy { people[2].profile.isRevoked($0.value.id) })
            // A member who leaves revokes their own grants.
            try await people[1].groups.leave(group)
            #expect(try people[1].profile.grants().allSatisfy { people[1].profile.isRevoked($0.value.id) })
            #expect(try people[1].profile.groups.all().isEmpty)
        }
    }

    /// Goal: the next exchange of grants does not bring back the name of a deleted person.
    @Test func aForgottenMemberStaysForgotten() async throws {
        try await self.town.withServer { port in
            let people = try self.people("Alice", "Bob", "Carol", port: port)
            _ = try await self.found(by: people)
            for _ in 0..<2 { try await self.tend(people) }
            let (bob, carol) = (people[1], people[2].profile.identity.publicIdentity)
            try await bob.revokeAll(of: carol)
            try bob.profile.forget(carol)
            try await self.tend(people)
            #expect(try self.askable(bob) == ["Alice"] && bob.profile.name(of: carol) == nil)
        }
    }

    /// Goal: a member with a replaced key stays a member by the line that the person sends anyway.
    @Test func aMembersNewKeyIsAMember() async throws {
        try await self.town.withServer { port in
            let people = try self.people("Alice", "Bob", "Carol", port: port)
            let group = try await self.found(by: people)
            for _ in 0..<2 { try await self.tend(people) }
            let (alice, bob, carol) = (people[0], people[1], people[2])
            let old = bob.profile.identity.publicIdentity
            let replacement = ProfileReplacement(of: bob.profile.path)
            let draft = try replacement.begin(from: bob.profile)
            let new = draft.identity.publicIdentity
            let names = IdentityReplaceCommand.steps(
                for: try bob.profile.groups.current() + alice.profile.groups.current(),
                of: bob.profile,
                profile: "p"
            )
            #expect(names.first?.contains("once Alice") == true, "\(names)")
            #expect(names.last?.contains("whereabouts group --create --profile p family") == true, "\(names)")
            _ = try await bob.hand(over: Sharer(profile: draft))
            _ = try replacement.finish()
            let given = try #require(try await alice.accept(new, inPlaceOf: old))
            try alice.profile.name(new, inPlaceOf: old, grant: given.value.id)
            let again = try Sharer(profile: self.town.profile("Bob", port: port))
            for _ in 0..<2 { try await self.tend([alice, carol, again]) }
            #expect(try self.askable(again) == ["Alice", "Carol"])
            #expect(try self.askable(alice) == ["Bob", "Carol"])
            #expect(try again.profile.groups.group(group)?.peers.count == 2)
            let held = try carol.profile.grants().filter { !carol.profile.isRevoked($0.value.id) }
            #expect(held.contains { $0.value.requester == new } && !held.contains { $0.value.requester == old })
        }
    }

    /// Goal: a lost database, or an unreachable or lying server, cannot give a grant to another person.
    @Test func aServerThatForgetsOrLiesLetsNobodyIn() async throws {
        let town = self.town
        let (port, group) = try await town.withServer { port in
            let people = try self.people("Alice", "Bob", "Carol", port: port)
            return (port, try await self.found(by: people))
        }
        let people = try self.people("Alice", "Bob", "Carol", port: port)
        await #expect(throws: SharingError(.network, "")) { try await people[0].groups.tend() }
        try await town.withServer(port: port) { _ in try await people[0].groups.tend() }
        for name in try FileManager.default.contentsOfDirectory(atPath: town.directory)
        where name.hasPrefix("server.sqlite") && !name.hasSuffix(".lock") {
            try FileManager.default.removeItem(atPath: town.path(name))
        }
        try await town.withServer(port: port) { port in
            let people = try self.people("Alice", "Bob", "Carol", port: port)
            for _ in 0..<3 { try await self.tend(people) }
            #expect(try self.askable(people[1]) == ["Alice", "Carol"])
            // The server, or a person who read the reply, puts another roster into Bob's mailbox.
            let bob = people[1].profile
            let mailbox = try LinkSecret(seed: try #require(try bob.groups.group(group)).offer.mailbox)
            let (alice, eve) = (people[0].profile.identity, try Identity(seed: Array(repeating: 6, count: 32)))
            let past = Revocation(
                grant: mailbox.entry,
                sharer: alice.publicIdentity,
                notAfter: WallTime(milliseconds: 0)
            )
            #expect(
                (200..<300).contains(try await town.send(port: port, "/v1/revocations", alice.sign(past).bytes).status)
            )
            let before = try bob.groups.group(group)
            try await people[1].groups.tend()
            #expect(try bob.groups.group(group) == before)
            let forged = GroupRoster(
                group: group,
                founder: eve.publicIdentity,
                number: 99,
                seed: Array(repeating: 0, count: GroupOffer.secretByteCount),
                members: [GroupRoster.Member(person: eve.publicIdentity, name: "Eve")]
            )
            let entry = LinkedGrant(
                address: mailbox.address,
                sharer: eve.publicIdentity,
                grant: GrantID(high: 1, low: 1),
                notAfter: .now.advanced(by: .seconds(60)),
                sealed: try mailbox.seal([eve.sign(forged).bytes])
            )
            #expect((200..<300).contains(try await town.send(port: port, "/v1/links", eve.sign(entry).bytes).status))
            try await people[1].groups.tend()
            #expect(try bob.groups.group(group) == before && bob.grants().count == 2)
        }
    }
}
