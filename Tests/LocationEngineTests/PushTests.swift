internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@Suite struct PushTests {
    /// The extension connects, declares its session and a stream, gets a fix and completes the push.
    private func answer(_ device: inout Device, _ push: Push, client: UInt64) throws {
        let launch = try #require(device.launched)
        device.connectExtension(client, launch: launch)
        #expect(device.effects.contains(.tell(ClientID(client), .push(push))))
        device.declare(client, sessions: [(1, .always)], streams: [2])
        device.fix()
        #expect(device.updates(to: client).count == 1)
        device.feed(.pushCompleted(ClientID(client), push.id))
        #expect(device.effects.contains(.forgetPush(push.id)))
        #expect(device.effects.contains(.tell(ClientID(client), .finish)))
        device.feed(.clientVanished(ClientID(client)))
        device.feed(.extensionExited(Device.app, launch, .exited(0)))
    }

    @Test func threePushesAnHourApartAreAnsweredThoughTheAppNeverRuns() throws {
        var device = Device.sharing()
        for client in UInt64(10)...12 {
            let push = device.push()
            try self.answer(&device, push, client: client)
            device.pass(3600)
        }
    }

    /// Goal: an app that ends its session while its extension works takes the position away from the extension, too.
    @Test func anExtensionIsServedNoLongerThanItsAppsSessionCounts() throws {
        var device = Device.sharing()
        _ = device.push()
        device.connectExtension(10, launch: try #require(device.launched))
        device.declare(10, sessions: [(1, .always)], streams: [2])
        device.fix()
        #expect(device.updates(to: 10).count == 1)
        device.connect(2)
        device.declare(2, sessions: [(1, .always)])
        device.feed(.phaseChanged(Device.app, .background))
        // The app is no longer in use, but the extension still runs.
        device.pass(7)
        device.fix()
        #expect(device.updates(to: 10).count == 1)
        device.declare(2)
        #expect(device.updates(to: 10).map(\.diagnostics) == [.insufficientlyInUse])
        device.pass(1)
        device.fix()
        #expect(device.updates(to: 10).isEmpty)
    }

    @Test func theReceiverAndTheProcessStartBeforeTheStateIsWritten() throws {
        var device = Device.sharing()
        _ = device.push()
        let persist = try #require(device.effects.firstIndex(of: .persist))
        let launch = try #require(device.launched)
        let start = try #require(device.effects.firstIndex(of: .process(.launchExtension(Device.app, launch))))
        #expect(start < persist)
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)))
    }

    @Test(
        arguments: zip(
            [Authorization.Setting.askNextTime, .never, .whileUsing],
            [Authorization.Status.notDetermined, .denied, .whenInUse]
        )
    )
    func withoutAlwaysNoPushReachesTheExtension(_ setting: Authorization.Setting, _ status: Authorization.Status) {
        var device = Device.sharing()
        device.feed(.authorizationSet(Device.app, setting))
        let push = device.push()
        #expect(device.refused == .notAuthorized(status))
        #expect(device.launched == nil)
        #expect(device.effects.contains(.forgetPush(push.id)))
    }

    @Test func withoutASessionNoPushReachesTheExtension() {
        var device = Device.sharing()
        device.connect(2)
        device.declare(2, sessions: [(1, .always)])
        device.declare(2)
        device.feed(.clientVanished(ClientID(2)))
        _ = device.push()
        #expect(device.refused == .noAlwaysSession)
    }

    @Test func aPushNeedsNoSessionWhereAlwaysNeedsNone() {
        var policy = Policy()
        policy.alwaysNeedsSession = false
        var device = Device.sharing(policy: policy)
        device.connect(2)
        device.declare(2, sessions: [(1, .always)])
        device.declare(2)
        device.feed(.clientVanished(ClientID(2)))
        _ = device.push()
        #expect(device.launched != nil)
    }

    @Test func anAppGrantedAlwaysThatNeverTookASessionIsEligible() {
        var device = Device()
        device.connect(1)
        device.feed(.authorizationSet(Device.app, .always))
        device.feed(.pushTokenRequested(ClientID(1), request: 1))
        device.feed(.clientVanished(ClientID(1)))
        _ = device.push()
        #expect(device.launched != nil)
    }

    @Test func anExpiredPushAndOneForNobodyAreRefused() {
        var device = Device.sharing()
        _ = device.push(expiration: WallTime(timeIntervalSince1970: device.now.wall.timeIntervalSince1970 - 1))
        #expect(device.refused == .expired)
        device.feed(.appUninstalled(Device.app))
        _ = device.push()
        #expect(device.refused == .notRegistered)
    }

    @Test func aPushThatComesAgainIsNotHandledTwice() throws {
        var device = Device.sharing()
        let push = device.push()
        let launch = try #require(device.launched)
        device.feed(.pushReceived(push))
        #expect(device.effects == [])
        device.connectExtension(10, launch: launch)
        device.feed(.pushCompleted(ClientID(10), push.id))
        device.feed(.pushReceived(push))
        #expect(device.effects == [.forgetPush(push.id)])
    }

    @Test func anExhaustedBudgetUnregistersEveryTopicAndReopens() {
        var policy = Policy()
        policy.pushBudgetCapacity = 3
        policy.pushBudgetReopening = 2
        var device = Device.sharing(policy: policy)
        _ = device.push()
        _ = device.push()
        _ = device.push()
        #expect(device.effects.contains(.gateway(.enable([]))))
        _ = device.push()
        #expect(device.refused == .budgetExhausted)
        #expect(device.pass(720).contains(.gateway(.enable([Device.app]))))
    }

    @Test func furtherPushesGoToTheRunningProcess() throws {
        var device = Device.sharing()
        _ = device.push()
        let launch = try #require(device.launched)
        let second = device.push()
        #expect(device.launched == nil)
        device.connectExtension(10, launch: launch)
        #expect(device.effects.contains(.tell(ClientID(10), .push(second))))
        let third = device.push()
        #expect(device.effects.contains(.tell(ClientID(10), .push(third))))
    }

    @Test func anExtensionThatHangsIsWarnedAndKilled() throws {
        var device = Device.sharing()
        _ = device.push()
        let launch = try #require(device.launched)
        device.connectExtension(10, launch: launch)
        #expect(!device.pass(24.9).contains(.tell(ClientID(10), .warning)))
        #expect(device.pass(0.2).contains(.tell(ClientID(10), .warning)))
        let late = device.push()
        #expect(device.launched == nil)
        #expect(device.pass(5).contains(.process(.killExtension(launch))))
        device.feed(.clientVanished(ClientID(10)))
        device.feed(.extensionExited(Device.app, launch, .signalled(9)))
        #expect(device.effects.contains(.note(.extensionFailed(Device.app, .signalled(9), pushes: 1))))
        // A push that came too late for the extension is given to the next one.
        let next = try #require(device.launched)
        device.connectExtension(11, launch: next)
        #expect(device.effects.contains(.tell(ClientID(11), .push(late))))
    }

    @Test func anExtensionThatNeverStartsTakesItsPushesAlong() throws {
        var device = Device.sharing()
        let push = device.push()
        let launch = try #require(device.launched)
        device.feed(.extensionExited(Device.app, launch, .neverStarted(2)))
        #expect(device.effects.contains(.forgetPush(push.id)))
        #expect(device.launched == nil)
        _ = device.push()
        #expect(device.launched != nil)
    }

    @Test func onlyTheLaunchedProcessMayBeTheExtension() throws {
        var device = Device.sharing()
        _ = device.push()
        let launch = try #require(device.launched)
        device.connectExtension(10, launch: LaunchID(launch.rawValue + 7))
        #expect(device.effects.contains(.disconnect(ClientID(10))))
    }

    @Test func tooManyWaitingPushesAreDropped() {
        var device = Device.sharing()
        for _ in 0..<16 {
            _ = device.push()
            #expect(device.refused == nil)
        }
        _ = device.push()
        #expect(device.refused == .tooManyWaiting)
    }

    @Test(arguments: [
        Engine.PushTokenFailure.missingPushExtension, .missingPushServerEnvironment, .missingEntitlement,
    ])
    func eachMissingThingIsItsOwnError(_ failure: Engine.PushTokenFailure) {
        var manifest = Device.manifest
        switch failure {
        case .unknown: break
        case .missingPushExtension: manifest.hasPushExtension = false
        case .missingPushServerEnvironment: manifest.hasPushEnvironment = false
        case .missingEntitlement: manifest.mayReceiveLocationPushes = false
        }
        var device = Device(manifest: manifest)
        device.connect(1)
        device.feed(.pushTokenRequested(ClientID(1), request: 3))
        #expect(device.effects == [.tell(ClientID(1), .pushToken(.failure(failure), request: 3))])
    }

    @Test func tooManyRequestsForATokenFailAtOnce() {
        var device = Device()
        device.connect(1)
        for request in UInt64(1)...64 {
            device.feed(.pushTokenRequested(ClientID(1), request: request))
            #expect(!device.effects.contains(.tell(ClientID(1), .pushToken(.failure(.unknown), request: request))))
        }
        device.feed(.pushTokenRequested(ClientID(1), request: 65))
        #expect(device.effects == [.tell(ClientID(1), .pushToken(.failure(.unknown), request: 65))])
    }

    @Test func aRegistrationThatFindsNoGatewayFailsInTime() {
        var device = Device()
        device.connect(1)
        device.feed(.pushTokenRequested(ClientID(1), request: 3))
        #expect(device.effects.contains(.gateway(.register(Device.app))))
        let failure = Engine.Effect.tell(ClientID(1), .pushToken(.failure(.unknown), request: 3))
        #expect(!device.pass(29).contains(failure))
        #expect(device.pass(2).contains(failure))
    }
}
