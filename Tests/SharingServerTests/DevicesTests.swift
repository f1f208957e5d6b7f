internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing
@testable internal import WhereaboutsSharingServer

/// Tests for several devices of one person, over real TLS.
struct DevicesTests {
    let town: Town

    init() throws {
        self.town = try Town()
    }

    /// Another device of a sharer, whose app has a push token.
    private func added(to sharer: Sharer, _ name: String, token: UInt8) async throws -> Sharer {
        let passphrase = "correct horse battery staple"
        let backup = try sharer.profile.backup(passphrase: passphrase, cost: 10)
        let profile = try SharingProfile.restore(backup, passphrase: passphrase, path: self.town.path(name))
        let added = try Sharer(profile: profile)
        try await added.register(deviceToken: Data([token]), topic: Town.topic)
        return added
    }

    /// Goal: a request is answered only by the device that its person chose last.
    @Test func theChosenDeviceIsAsked() async throws {
        let town = self.town
        try await town.withServer { port in
            let (phone, requester, grant) = try await town.people(port: port)
            func isAnswered(by sharer: Sharer, not other: Sharer, token: Data) async throws {
                async let asked = requester.updates(grant)
                let push = try await town.pushed()
                #expect(push.token == Array(token))
                #expect(throws: SharingError(.badPush, "")) { try other.receive(pushPayload: push.object()) }
                try await sharer.respond(to: sharer.receive(pushPayload: push.object())) { try Town.measure() }
                #expect(await asked.last?.state.kind == .answered)
            }
            let tablet = try await self.added(to: phone, "tablet", token: 2)
            try await isAnswered(by: tablet, not: phone, token: Data([2]))
            try await phone.nameThisDevice("Ada’s phone")
            try await phone.answerHere()
            try await isAnswered(by: phone, not: tablet, token: Town.token)
            // The other device's app continues, and changes no choice.
            try await tablet.register(deviceToken: Data([2]), topic: Town.topic)
            try await isAnswered(by: phone, not: tablet, token: Town.token)
            let devices = try await tablet.devices()
            #expect(devices.count == 2)
            let (this, other) = (devices.first { $0.isThis }, devices.first { !$0.isThis })
            #expect(this?.name == "" && this?.answers == false && other?.answers == true)
            #expect(other?.name == "Ada’s phone" && other?.isPaused == false)
            try await phone.pause(topic: Town.topic)
            #expect(try await tablet.devices().first { $0.answers }?.isPaused == true)
            #expect(await requester.updates(grant).last?.state.kind == .unreachable)
        }
        #expect(!town.log.text(above: .trace).contains("Ada"))
    }

    @Test func aRemovedDeviceIsToldAndMayComeBackByItsPersonsWord() async throws {
        let town = self.town
        try await town.withServer { port in
            let (phone, requester, grant) = try await town.people(port: port)
            let tablet = try await self.added(to: phone, "tablet", token: 2)
            let id = try #require(try await tablet.devices().first { $0.isThis }?.id)
            try await phone.remove(id)
            #expect(try await phone.devices().map(\.isThis) == [true])
            let error = await #expect(throws: SharingError.self) {
                try await tablet.register(deviceToken: Data([2]), topic: Town.topic)
            }
            #expect(error?.code == .refused && error?.message.contains("--answer-here") == true)
            // From now on it knows that it is removed, and answers no request, whatever a server delivers.
            #expect(tablet.profile.deviceFile.isRemoved && !phone.profile.deviceFile.isRemoved)
            #expect(try SharingProfile(path: tablet.profile.path).deviceFile.isRemoved)
            #expect(try await tablet.devices().count == 1)
            await #expect(throws: SharingError(.refused, "")) { try await tablet.nameThisDevice("Ada’s tablet") }
            async let asked = requester.updates(grant)
            try await phone.respond(to: town.received(by: phone)) { try Town.measure() }
            #expect(await asked.last?.state.kind == .answered)
            try await tablet.answerHere()
            #expect(!tablet.profile.deviceFile.isRemoved)
            let devices = try await tablet.devices()
            #expect(devices.count == 2 && devices.first { $0.isThis }?.answers == true)
            #expect(devices.first { $0.isThis }?.name == "", "a name that was refused comes by no other way")
            #expect(devices.first { $0.isThis }?.id != id)
            // A missing device, or another person's, cannot be removed.
            await #expect(throws: SharingError(.refused, "")) { try await phone.remove(id.another) }
            let stranger = try Sharer(profile: town.profile("stranger", port: port))
            await #expect(throws: SharingError(.refused, "")) { try await stranger.remove(id) }
            #expect(try await stranger.devices().isEmpty)
            await #expect(throws: SharingError(.badProfile, "")) { try await stranger.answerHere() }
        }
    }

    /// Goal: a person cannot become unreachable by mistake.
    @Test func theLastDeviceIsRemovedByASecondWord() async throws {
        let town = self.town
        try await town.withServer { port in
            let (phone, requester, grant) = try await town.people(port: port)
            let id = try #require(try await phone.devices().first?.id)
            let error = await #expect(throws: SharingError.self) { try await phone.remove(id) }
            #expect(error?.code == .lastDevice && error?.message.contains("your last device") == true)
            #expect(error?.message.contains("--last") == true)
            #expect(try await phone.devices().count == 1)
            try await phone.remove(id, evenLast: true)
            #expect(try await phone.devices().isEmpty)
            #expect(await requester.updates(grant).last?.state.kind == .refused)
            try await phone.answerHere()
            #expect(try await phone.devices().map(\.answers) == [true])
        }
    }

    /// Goal: a clock that was once wrong decides nothing: a new device is asked, and so is one on which the profile was
    /// restored.
    @Test func aNewDeviceIsAskedWhateverAClockSaidOnce() async throws {
        let town = self.town
        try await town.withServer { port in
            let (phone, _, _) = try await town.people(port: port)
            let passphrase = "correct horse battery staple"
            let backup = try phone.profile.backup(passphrase: passphrase, cost: 10)
            // The phone's clock was a month ahead when its person chose it.
            let ahead = WallTime.now.advanced(by: .seconds(30 * 86_400))
            _ = try phone.profile.deviceFile.nextRegistrationTime(after: [ahead], now: .now)
            try phone.profile.deviceFile.change { known in
                var device = try #require(known)
                device.standing = DeviceState(id: device.standing.id, chosen: ahead)
                return ((), device)
            }
            try await phone.register(deviceToken: Town.token, topic: Town.topic)
            #expect(try await phone.devices().first?.chosen == ahead.wholeMilliseconds)
            let tablet = try await self.added(to: phone, "tablet", token: 2)
            #expect(try await tablet.devices().first { $0.answers }?.isThis == true)
            // The same phone after its profile was lost: it has the same push token, and another key.
            let again = try Sharer(
                profile: SharingProfile.restore(backup, passphrase: passphrase, path: town.path("again"))
            )
            try await again.register(deviceToken: Town.token, topic: Town.topic)
            let devices = try await again.devices()
            #expect(devices.count == 2 && devices.first { $0.answers }?.isThis == true)
        }
    }

    /// Goal: a grant that was given on another device can be seen and revoked on the answering one.
    @Test func aGrantOfAnotherDeviceIsLearned() async throws {
        let town = self.town
        try await town.withServer { port in
            let (phone, requester, grant) = try await town.people(port: port)
            let tablet = try await self.added(to: phone, "tablet", token: 2)
            let late = try phone.approve(requester: grant.value.requester, precision: .full, for: .seconds(600))
            #expect(try tablet.profile.grants() == [grant])
            async let asked = requester.updates(late)
            try await tablet.respond(to: town.received(by: tablet)) { try Town.measure() }
            #expect(await asked.last?.state.kind == .answered)
            #expect(try Set(tablet.profile.grants()) == [grant, late])
            try await tablet.revoke(tablet.profile.grant(late.value.id))
            #expect(await requester.updates(late).last?.state.kind == .refused)
        }
    }

    /// Goal: a person who lost a phone can cut it off, also from people to whom it gave grants after the backup.
    @Test func aLostDeviceIsAskedNoMoreOnceTheKeyIsReplaced() async throws {
        let town = self.town
        try await town.withServer { port in
            let (lost, requester, grant) = try await town.people(port: port)
            let found = try await self.added(to: lost, "found", token: 2)
            try await lost.answerHere()
            // After the backup: the restored profile does not know of it.
            let late = try lost.approve(
                requester: requester.profile.identity.publicIdentity,
                precision: .full,
                for: .seconds(600)
            )
            let new = try Sharer(profile: town.profile("new", port: port))
            #expect(try await found.hand(over: new).count == 1)
            #expect(try await found.devices().isEmpty)
            #expect(found.profile.deviceFile.isRemoved)
            for old in [grant, late] { #expect(await requester.updates(old).last?.state.kind == .refused) }
            await #expect(throws: SharingError(.refused, "")) {
                try await lost.register(deviceToken: Town.token, topic: Town.topic)
            }
            #expect(lost.profile.deviceFile.isRemoved)
            // Repeating it gives the same result.
            #expect(try await found.hand(over: new).count == 1)
        }
    }

    /// Goal: only the person can see which devices they have.
    @Test func nobodyElseReadsTheList() async throws {
        let town = self.town
        try await town.withServer { port in
            let (sharer, requester, _) = try await town.people(port: port)
            let key = sharer.profile.identity.publicIdentity
            let forged = try requester.profile.identity.sign(DevicesPermit(sharer: key)).bytes
            let read = try sharer.profile.identity.sign(ReadPermit(request: RequestID(high: 1, low: 2), requester: key))
                .bytes
            for authorization in [
                nil, "", "Whereabouts", "Whereabouts ?", "Whereabouts " + Base64URL.text(of: forged),
                "Whereabouts " + Base64URL.text(of: read),
            ] {
                let reply = try await town.send(port: port, "/v1/devices", authorization: authorization)
                #expect(reply.status == 404)
            }
            let good = try sharer.profile.identity.sign(DevicesPermit(sharer: key)).bytes
            let reply = try await town.send(
                port: port,
                "/v1/devices",
                authorization: "Whereabouts " + Base64URL.text(of: good)
            )
            #expect(reply.status == 200 && !reply.body.contains(Hex.text(of: Array(Town.token))))
            let removal = DeviceRemoval(device: DeviceID(high: 1, low: 2), sharer: key)
            let bytes = try requester.profile.identity.sign(removal).bytes
            #expect(try await town.send(port: port, "/v1/devices/removals", bytes).status == 403)
            #expect(try await town.send(port: port, "/v1/devices/removals", [1]).status == 400)
        }
    }

    @Test func theNinthDeviceIsRefused() async throws {
        let town = self.town
        try await town.withServer { port in
            let (phone, _, _) = try await town.people(port: port)
            for number in 2...UInt8(SharingPolicy.devicesPerSharerMax) {
                _ = try await self.added(to: phone, "home-\(number)", token: number)
            }
            let error = await #expect(throws: SharingError.self) {
                try await self.added(to: phone, "one more", token: 100)
            }
            #expect(error?.code == .refused && error?.message.contains("8 devices") == true)
            #expect(try await phone.devices().count == SharingPolicy.devicesPerSharerMax)
        }
    }
}

extension DeviceID {
    fileprivate var another: DeviceID { DeviceID(high: self.high, low: self.low ^ 1) }
}

extension Town {
    fileprivate func pushed() async throws -> PushModel.Push {
        for await push in self.push.pushes { return push }
        throw TownError()
    }
}

extension PushModel.Push {
    fileprivate func object() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(self.payload)) as? [String: Any] else {
            throw TownError()
        }
        return object
    }
}
