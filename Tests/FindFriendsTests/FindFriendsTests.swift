internal import CoreLocation
internal import Friends
internal import WhereaboutsLocationTesting
internal import WhereaboutsSharing
internal import WhereaboutsSharingTesting

/// Tests the example app on a virtual device, with the real server behind a virtual network, and a friend who asks.
@Suite(.showsTimelines) struct FindFriendsTests {
    private let all: Neighbourhood
    private var device: VirtualDevice { self.all.device }

    init() throws {
        self.all = try Neighbourhood()
    }

    /// The app was opened once, has Always, and Bob has a grant.
    private func shared(_ limits: GrantLimits = GrantLimits()) throws -> Signed<Grant> {
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(self.all.app)
        self.all.wait(for: "your friends can ask where you are")
        return try self.all.approve(limits)
    }

    private func distance(of fix: SharedFix) -> CLLocationDistance {
        let place = self.device.world.place
        return CLLocation(latitude: fix.latitude, longitude: fix.longitude)
            .distance(from: CLLocation(latitude: place.latitude, longitude: place.longitude))
    }

    @Test func friendIsAnsweredWhileTheAppIsGone() throws {
        let grant = try self.shared()
        self.device.person.leave(self.all.app)
        self.all.app.terminate()
        self.device.advance(by: .seconds(3600))
        let updates = try self.all.ask(grant)
        #expect(updates.last?.state.kind == .answered)
        #expect(try self.distance(of: #require(updates.fix)) < 100)
        #expect(self.all.pushes == 1)
    }

    /// Goal: a failed start of the app, because of damaged files or too little memory, does not end sharing.
    @Test func oneFailedStartDoesNotEndSharing() throws {
        let grant = try self.shared()
        self.device.person.leave(self.all.app)
        self.all.app.terminate()
        self.device.advance(by: .seconds(3600))
        self.all.app.launchInBackground()
        self.all.app.crash()
        self.device.advance(by: .seconds(60))
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test func optingOutInSettingsIsToldToFriendsWithoutAPush() throws {
        let grant = try self.shared()
        self.device.person.set(self.all.app, to: .never)
        self.all.wait(for: "sharing is paused")
        self.device.advance(by: .seconds(5))
        let updates = try self.all.ask(grant)
        #expect(updates.isPaused, "\(updates)")
        #expect(self.all.pushes == 0)
        // And back.
        self.device.person.set(self.all.app, to: .always)
        self.device.person.open(self.all.app)
        self.device.advance(by: .seconds(10))
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test func aRevokedFriendIsRefusedWithoutAPush() throws {
        let grant = try self.shared()
        #expect(try self.all.ask(grant).fix != nil)
        _ = try self.all.asAlice { try await $0.revoke(grant) }
        #expect(try self.all.ask(grant).last?.state.kind == .refused)
        #expect(self.all.pushes == 1)
    }

    @Test(arguments: [Person.Answer.dontAllow, .allowOnce, .allowWhileUsing, .allowApproximate])
    func lessThanAlwaysIsAskedForAgainAndAnswersNobody(_ answer: Person.Answer) throws {
        self.device.person.answersAll(answer)
        self.device.person.open(self.all.app)
        self.all.wait(for: "sharing is paused")
        #expect(!self.all.hasShown("your friends can ask"))
        #expect(try self.all.ask(self.all.approve()).isPaused)
        #expect(self.all.pushes == 0)
    }

    @Test func approximateDeviceTellsACell() throws {
        let grant = try self.shared()
        self.device.person.set(self.all.app, precise: false)
        let fix = try #require(try self.all.ask(grant).fix)
        #expect(fix.horizontalAccuracy >= 1000)
        #expect(self.distance(of: fix) <= fix.horizontalAccuracy * 2)
    }

    @Test func friendHearsThatThereIsNoFixWithinHalfTheTime() throws {
        let grant = try self.shared()
        self.device.person.leave(self.all.app)
        self.device.advance(by: .seconds(600))
        self.device.world.loseSignal(for: .seconds(120))
        let updates = try self.all.ask(grant)
        #expect(updates.unavailable?.contains("no position within 15 s") == true, "\(updates)")
        #expect(try #require(updates.last?.elapsed) < .seconds(17))
    }

    /// Goal: an extension without a reply from the server finishes before it is killed, and its answer is kept.
    @Test func extensionEndsInTimeWhenTheServerIsSilent() throws {
        let grant = try self.shared()
        self.device.person.leave(self.all.app)
        self.all.way.isSilent = true
        let first = try self.all.ask(grant)
        #expect(first.fix == nil, "\(first)")
        let lane = "com.example.FindFriends's extension"
        #expect(!self.all.app.extensionRuns)
        #expect(self.device.timeline.entries(of: lane).contains { $0.text.contains("exits") })
        self.all.way.isSilent = false
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test func airplaneModeCostsOneQuestionAndNotTheNext() throws {
        let grant = try self.shared()
        self.device.person.switchAirplaneMode(on: true)
        let updates = try self.all.ask(grant)
        #expect(updates.fix == nil && updates.last?.state.kind != .answered, "\(updates)")
        self.device.person.switchAirplaneMode(on: false)
        self.device.advance(by: .seconds(60))
        #expect(try self.all.ask(grant).fix != nil)
    }

    /// One push starts the extension.
    ///
    /// The system then launches the app for the updates that the extension leaves to it.
    @Test func followerSeesTheWalkThatTheAppTellsAfterTheExtension() throws {
        let grant = try self.shared(GrantLimits(followMinutesMax: 60))
        self.device.person.leave(self.all.app)
        self.all.app.terminate()
        self.device.world.walk(for: .seconds(900))
        let updates = try self.all.follow(grant, minutes: 10)
        let places = updates.count { if case .place(.moving, _, missed: 0) = $0 { true } else { false } }
        #expect(places > 10, "\(updates)")
        guard case .ended(.time, _)? = updates.last else {
            Issue.record("it ended otherwise: \(updates.suffix(2))")
            return
        }
        #expect(self.all.pushes == 1 && self.all.app.launches == 2)
    }

    /// The example's views are shown by another app with Alice's files, so that they use the device's time.
    private func openViews() throws -> (app: VirtualApp, profile: SharingProfile) {
        let alice = try self.all.alice
        let (sharer, requester) = (try alice.sharer(), try alice.requester())
        let views = self.device.install(
            AppUnderTest("com.example.Views", object: { FriendsModel(sharer: sharer, requester: requester) })
        )
        self.device.person.open(views)
        return (views, sharer.profile)
    }

    /// Goal: the app's views list the followers and can end live shares.
    ///
    /// The texts on a phone name no command.
    @Test func personEndsAFollowerInTheApp() throws {
        let grant = try self.shared(GrantLimits(followMinutesMax: 60))
        self.device.person.leave(self.all.app)
        let followed = self.all.beginFollowing(grant, minutes: 10)
        self.device.advance(by: .seconds(60))
        let (views, profile) = try self.openViews()
        let words = views.read { (model: FriendsModel) -> String in
            model.refresh()
            return profile.followers().words(in: profile, on: .phone)
        }
        #expect(words?.hasSuffix("(open Followers in FindFriends to end it)") == true, "\(words ?? "")")
        #expect(views.read { (model: FriendsModel) in model.followers.map(\.isApproximate) } == [false])
        views.read { (model: FriendsModel) -> Void in
            let follower = model.followers[0]
            Task { await model.end(follower) }
        }
        self.device.run(until: "Bob no longer follows you", within: .seconds(30)) { followed.isOver }
        self.device.advance(by: .seconds(5))
        #expect(views.read { (model: FriendsModel) in model.followers.isEmpty && model.problem == nil } == true)
        guard case .ended(.bySharer, _)? = followed.value?.last else {
            Issue.record("it ended otherwise: \(followed.value?.suffix(2) ?? [])")
            return
        }
    }

    /// Goal: an invitation to a group gives its founder no individual grant.
    @Test func theAppRefusesAnInvitationToAGroup() throws {
        _ = try self.shared()
        let (views, profile) = try self.openViews()
        let group = try profile.groups.found("family", precision: .full, for: .seconds(3600))
        let text = try profile.invitation(name: "Alice", group: group.offer).text
        let plain = try profile.invitation(name: "Alice").text
        views.read { (model: FriendsModel) -> Void in
            #expect(model.read(invitation: plain) != nil && model.problem == nil)
            #expect(model.read(invitation: text) == nil)
            #expect(model.problem?.contains("group") == true)
        }
    }

    @Test func questionNamesWhatAPersonDoesOnTheirScreen() throws {
        let grant = try self.shared(GrantLimits(asksPerson: true))
        let (views, profile) = try self.openViews()
        let updates = try self.all.ask(grant) {
            self.device.run(until: "the question is there") {
                views.read { (model: FriendsModel) -> Bool in
                    model.refresh()
                    return !model.questions.isEmpty
                } == true
            }
            let lines = views.read { (model: FriendsModel) -> [String] in
                model.questions.flatMap { [$0.words(in: profile, on: .phone), $0.words(in: profile)] }
            }
            #expect(lines?.first?.hasSuffix("(open FindFriends)") == true, "\(lines ?? [])")
            #expect(lines?.last?.hasSuffix("(whereabouts questions --yes)") == true, "\(lines ?? [])")
        }
        #expect(updates.fix == nil)
    }

    /// Both people have a phone: Bob's app asks through the server, and Alice's phone answers without its app running.
    @Test func friendAsksFromAPhoneOfTheirOwn() throws {
        let grant = try self.shared()
        self.device.person.leave(self.all.app)
        self.all.app.terminate()
        let phone = self.device.makeCompanion()
        let bob = self.all.bob
        let app = phone.install(AppUnderTest("com.example.Bob", object: { Asking(bob, grant) }))
        phone.person.open(app)
        phone.run(until: "Bob knows", within: .seconds(120)) {
            app.read { (it: Asking) in it.updates.last?.state.kind == .answered } == true
        }
        let updates = try #require(app.read { (it: Asking) in it.updates })
        #expect(try self.distance(of: #require(updates.fix)) < 100)
        #expect(self.all.pushes == 1 && phone.timeline.entries(of: "pushes").isEmpty)
        // Without a network, Bob's app shows nothing, and Alice's phone receives no request.
        phone.person.switchAirplaneMode(on: true)
        phone.person.close(app)
        phone.person.open(app)
        phone.advance(by: .seconds(120))
        #expect(try #require(app.read { (it: Asking) in it.updates }).fix == nil)
        #expect(self.all.pushes == 1)
    }
}

/// Bob's app.
@MainActor private final class Asking {
    private(set) var updates: [RequestUpdate] = []

    init(_ bob: Requester, _ grant: Signed<Grant>) {
        Task {
            for await update in bob.ask(grant) { self.updates.append(update) }
        }
    }
}
