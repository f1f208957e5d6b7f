import Testing
import WhereaboutsLocationEngine
import WhereaboutsVocabulary

@testable import WhereaboutsDeviceCore

/// Tests for limits: incoming texts are cut, pushes and answers are limited, and each limit has a counter.
@Suite struct BoundTests {
    private let client = CoreOnPaper.client

    @Test func aGatewayThatBringsPushesWithoutEndIsNotReadFromForAWhile() {
        var device = CoreOnPaper()
        for number in 0..<UInt64(PushFlow.burstMax) {
            #expect(device.core.readsGateway)
            #expect(device.report(.pushArrived(device.push(number))).contains("keep \(number)"))
            _ = device.report(.pushKept(device.push(number).id))
        }
        #expect(!device.core.readsGateway)
        #expect(device.core.bounds[.gatewayHeld] == 1)
        // Pushes that were already read are accepted, and no others.
        for number in 1000..<(1000 + UInt64(PushFlow.burstMax)) { _ = device.report(.pushArrived(device.push(number))) }
        #expect(device.report(.pushArrived(device.push(5000))).isEmpty)
        #expect(device.core.bounds[.pushesLeft] == 1)
        _ = device.wait(PushFlow.interval * (PushFlow.burstMax * 2))
        #expect(device.core.readsGateway)
        #expect(device.report(.pushArrived(device.push(5000))) == ["keep 5000"])
    }

    @Test func pushesAtTheRateOfABusyDayAreAlwaysRead() {
        var device = CoreOnPaper()
        for number in 0..<UInt64(2000) {
            _ = device.report(.pushArrived(device.push(number)))
            _ = device.report(.pushKept(device.push(number).id))
            _ = device.wait(.seconds(1))
            #expect(device.core.readsGateway)
        }
        #expect(device.core.bounds == BoundCounts())
    }

    @Test func textsOfAppsAreCutByBytes() {
        let accents = "e" + String(repeating: "\u{301}", count: 70_000)
        let message = ClientMessage.declaration(
            Declaration(
                sessions: [.init(id: 1, requirement: .whenInUse, fullAccuracyPurpose: accents)],
                activities: [
                    .init(id: 2, kind: .liveActivity(title: accents)), .init(id: 3, kind: .backgroundSession),
                    .init(id: 4, kind: .liveActivity(title: "Run\u{202E}\n")),
                    .init(id: 5, kind: .liveActivity(title: "👩‍👩‍👧 Run")),
                ]
            )
        )
        let (bounded, cuts) = message.bounded()
        guard case .declaration(let declaration) = bounded else { return #expect(Bool(false)) }
        #expect(cuts == 3)
        #expect(declaration.sessions.first?.fullAccuracyPurpose?.utf8.count ?? 0 <= ClientMessage.purposeBytesMax)
        let titles = declaration.activities.compactMap {
            if case .liveActivity(let title) = $0.kind { title } else { nil }
        }
        #expect(titles.allSatisfy { $0.utf8.count <= ClientMessage.titleBytesMax })
        #expect(titles.dropFirst() == ["Run  ", "👩‍👩‍👧 Run"])
        let (request, requestCuts) = ClientMessage.fullAccuracyRequest(purpose: accents, request: 1).bounded()
        #expect(requestCuts == 1 && request != .fullAccuracyRequest(purpose: accents, request: 1))
    }

    @Test func anAppThatShowsMuchShowsTheFirstOfIt() {
        var device = CoreOnPaper()
        device.runsRegistered()
        let activities = (0..<UInt64(255)).map { number in
            Declaration.Activity(
                id: number,
                kind: .liveActivity(title: "\(number) " + String(repeating: "x", count: 490))
            )
        }
        _ = device.report(.messageReceived(.declaration(Declaration(activities: activities)), from: self.client))
        #expect(device.core.engine.indicators.count == Engine.activitiesShownMax)
        #expect(device.core.engine.status(of: CoreOnPaper.app)?.liveActivities.count == 255)
        #expect(device.core.bounds[.textsCut] == 255)
    }

    /// A process that locationd did not start is not in use, whatever it says.
    @Test func nobodyIsInTheForegroundByTheirOwnWord() {
        var device = CoreOnPaper()
        let principal = Principal(bundle: CoreOnPaper.app, role: .app)
        var process: AppStatus.Process? { device.core.engine.status(of: CoreOnPaper.app)?.process }
        _ = device.report(.connectionOpened(self.client, principal, Caller(user: 0, isLaunched: false)))
        _ = device.report(.messageReceived(.declaration(Declaration()), from: self.client))
        #expect(process == .background)
        _ = device.report(.messageReceived(.phaseReport(.foreground), from: self.client))
        #expect(process == .background)
        _ = device.order(.show(CoreOnPaper.app, .foreground))
        #expect(process == .foreground)
        _ = device.report(.messageReceived(.phaseReport(.background), from: self.client))
        _ = device.report(.messageReceived(.phaseReport(.foreground), from: self.client))
        #expect(process == .background)
    }

    @Test func anAnswerOfPlacesWithoutEndIsNotPassedOn() throws {
        var device = CoreOnPaper(hasGeocoder: true)
        device.runsRegistered()
        let question = GeocodeQuestion(.address("Hamburg", near: nil), languages: "de")
        _ = device.report(.messageReceived(.geocodeRequest(question, request: 1), from: self.client))
        let places = [UInt8](repeating: 0, count: GeocodingQueue.answerBytesMax + 1)
        let actions = device.core.handle(.lookedUp(LookUpID(rawValue: 1), .places(places)), now: device.now)
        let isUnreachable = actions.contains {
            if case .tellPlaces(_, 1, .answer(.unreachable)) = $0 { true } else { false }
        }
        #expect(isUnreachable && device.core.bounds[.placesRefused] == 1)
    }

    /// A date in the year 292 billion must neither keep a push forever nor set a timer that cannot be represented.
    @Test(arguments: [Int64.min, -1, 0, 100_000_000_000, Int64.max])
    func aPushIsOfUseForAMonthAtMost(_ seconds: Int64) {
        var device = CoreOnPaper()
        device.runsRegistered()
        var push = device.push(1)
        push.priority = .passive
        push.expiration = WallTime(seconds: seconds)
        _ = device.report(.pushArrived(push))
        _ = device.report(.pushKept(push.id))
        let end = device.now.monotonic.advanced(by: Policy().pushLifeMax)
        if let deadline = device.core.nextDeadline?.at { #expect(deadline <= end) }
        #expect(device.wait(Policy().pushLifeMax).contains("forget 1") || seconds <= 0)
    }

    @Test func countsDoNotOverflow() {
        var counts = BoundCounts()
        for _ in 0..<3 { counts.count(.textsCut, times: .max) }
        #expect(counts[.textsCut] == .max)
        #expect((counts + counts)[.textsCut] == .max)
    }
}
