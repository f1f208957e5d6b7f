internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// All queries, with their expected results.
enum QueryList {
    static let all = properties + sanity + limits + mutations

    /// The friend and the adversary may both ask; devices crash.
    private static var shared: Setting {
        var setting = Setting()
        setting.isAdversaryGranted = true
        return setting
    }

    /// The friend alone has a grant.
    private static var friends: Setting { Setting() }

    /// The adversary is the requester, too, and time passes beyond a device's memory of answers (12 minutes).
    private static func adversarys(_ change: (inout Setting) -> Void) -> Setting {
        var setting = Setting()
        setting.isAdversaryGranted = true
        setting.requestsMax = 0
        setting.times = [0, 60, 780]
        setting.measurementsMax = 3
        setting.adversarysIDs = [0xE1, 0xE2]
        change(&setting)
        setting.adversarysTimes = setting.times
        return setting
    }

    private static var schedule: Setting {
        var setting = Setting()
        setting.repeats = true
        setting.times = [0, 900]
        return setting
    }

    private static var revoked: Setting {
        var setting = shared
        setting.revokes = true
        return setting
    }

    private static let properties = [
        Query(
            "secrecy",
            .property,
            "A position is read by its requester alone, and by nobody on the way.",
            from: SharingWorld(shared)
        ) { $0.leaks },
        Query(
            "authentic-answers",
            .property,
            "A requester believes only what the sharer's device gave to that request.",
            from: SharingWorld(shared)
        ) { $0.deceives },
        Query(
            "authentic-requests",
            .property,
            "A device answers only requests that a person with its sharer's grant signed.",
            from: SharingWorld(shared)
        ) { $0.answersStrangers },
        Query(
            "one-answer",
            .property,
            "A request gets one position, however often it is handed over, over crashes and in two processes.",
            from: SharingWorld(changed(friends) { $0.processesMax = 2 })
        ) { $0.answersTwice },
        Query(
            "uses",
            .property,
            "A device gives as many positions under a grant as it has uses, whatever requester and server agree on.",
            from: SharingWorld(adversarys { ($0.usesMax, $0.times) = (1, [0, 780]) })
        ) { $0.exceedsUses },
        Query(
            "uses-of-two",
            .property,
            "The same for a grant of two uses, and two processes.",
            from: SharingWorld(
                adversarys {
                    ($0.usesMax, $0.processesMax, $0.times, $0.adversarysIDs) = (2, 2, [0, 780], [0xE1])
                    $0.composedMax = 3
                }
            )
        ) { $0.exceedsUses },
        Query(
            "interval",
            .property,
            "A device keeps the least interval of a grant.",
            from: SharingWorld(
                adversarys {
                    ($0.intervalMin, $0.times, $0.crashes, $0.composedMax) = (600, [0, 60, 580, 780], false, 3)
                }
            )
        ) { $0.exceedsInterval() },
        Query(
            "interval-over-crashes",
            .property,
            "Where processes die, one position may come late, and the others keep the interval.",
            from: SharingWorld(adversarys { ($0.intervalMin, $0.times, $0.composedMax) = (600, [0, 60, 580], 3) })
        ) { $0.exceedsInterval(late: 1) },
        Query(
            "revocation",
            .property,
            "No position leaves a device on which the grant was taken back.",
            from: SharingWorld(revoked)
        ) { world in world.disclosed.contains(where: \.isRevokedHere) },
        Query(
            "times",
            .property,
            "No position is measured outside the time of its request and its grant.",
            from: SharingWorld(adversarys { ($0.grantSeconds, $0.times) = (100, [0, 60, 110, 780]) })
        ) { $0.exceedsTime },
        Query(
            "consent",
            .property,
            "Under a grant that asks the sharer each time, no position leaves without a yes to that request.",
            from: SharingWorld(changed(shared) { ($0.asksPerson, $0.times) = (true, [0]) })
        ) { $0.lacksConsent },
        Query(
            "precision",
            .property,
            "No position is more exact than its grant allows.",
            from: SharingWorld(adversarys { ($0.precision, $0.times, $0.measurementsMax) = (.reduced, [0, 60], 2) })
        ) { $0.exceedsPrecision },
        Query(
            "occurrences",
            .property,
            "Each occurrence of a schedule gets one position, in its time.",
            from: SharingWorld(schedule)
        ) {
            $0.answersTwice || $0.exceedsTime || $0.deceives
        },
        Query(
            "occurrences-are-uses",
            .property,
            "Occurrences of a schedule count as uses.",
            from: SharingWorld(
                adversarys {
                    ($0.usesMax, $0.repeats, $0.times, $0.adversarysIDs) = (1, true, [0, 900], [0xE1])
                    ($0.measurementsMax, $0.composedMax) = (2, 1)
                }
            )
        ) { $0.exceedsUses },
        Query(
            "updates",
            .property,
            "A follower receives updates in their order, each once, and no other person's.",
            from: FollowedWorld()
        ) { $0.told != $0.told.sorted() || Set($0.told).count < $0.told.count || $0.strange > 0 },
    ]

    private static let sanity = [
        Query(
            "a-position-arrives",
            .sanity,
            "An honest run ends with a position that the requester believes.",
            from: SharingWorld(friends)
        ) { !$0.believed.isEmpty },
        Query(
            "two-positions-arrive",
            .sanity,
            "Two requests are answered, the second in the reply to the first answer.",
            from: SharingWorld(changed(friends) { ($0.requestsMax, $0.crashes) = (2, false) })
        ) { $0.believed.count == 2 },
        Query(
            "occurrences-arrive",
            .sanity,
            "Two occurrences of a schedule are answered.",
            from: SharingWorld(schedule)
        ) {
            $0.believed.count == 2
        },
        Query(
            "a-yes-is-acted-on",
            .sanity,
            "A request that the sharer allowed is answered.",
            from: SharingWorld(changed(friends) { $0.asksPerson = true })
        ) { !$0.believed.isEmpty },
        Query(
            "uses-can-be-used",
            .sanity,
            "A grant of two uses gives two positions.",
            from: SharingWorld(adversarys { $0.usesMax = 2 })
        ) { $0.disclosed.count == 2 },
        Query(
            "an-answer-survives-a-crash",
            .sanity,
            "An answer that a process left behind is posted again.",
            from: SharingWorld(changed(friends) { $0.measurementsMax = 1 })
        ) { $0.clock == 1 && $0.believed.contains { $0.clock == 1 } },
        Query("all-updates-arrive", .sanity, "A follower receives all updates.", from: FollowedWorld()) {
            $0.told.count == FollowedWorld.sealed.count
        },
        Query("a-following-ends", .sanity, "The sharer ends a following.", from: FollowedWorld()) { $0.isOver },
    ]

    private static let limits = [
        Query(
            "withheld",
            .limit,
            "The server can hold a request back until its time is over.",
            from: SharingWorld(changed(friends) { $0.times = [0, 130] })
        ) {
            $0.clock == 1 && !$0.asked.isEmpty
                && $0.asked.allSatisfy { $0.value.expires < Names.noon.advanced(by: .seconds(131)) }
                && $0.disclosed.isEmpty
        },
        Query(
            "delayed",
            .limit,
            "The server can deliver an answer late; the fix inside tells its age.",
            from: SharingWorld(changed(friends) { $0.times = [0, 300] })
        ) { $0.believed.contains { $0.clock == 1 && $0.fix.time == Names.noon } },
        Query(
            "reordered",
            .limit,
            "The server can have the second request answered, and not the first.",
            from: SharingWorld(changed(friends) { $0.requestsMax = 2 })
        ) { world in
            world.believed.contains { $0.digest.bytes[7] == 2 } && world.believed.count == 1
                && world.disclosed.count == 1
        },
        Query(
            "uses-of-each-device",
            .limit,
            "Two devices of a sharer each count uses for themselves (ADR 0083).",
            from: SharingWorld(adversarys { ($0.usesMax, $0.devices, $0.times) = (1, 2, [0]) })
        ) { $0.exceedsUses },
        Query(
            "revocation-on-another-device",
            .limit,
            "A grant taken back on one device is answered by another, if the server forgets it (ADR 0083).",
            from: SharingWorld(changed(revoked) { ($0.devices, $0.requestsMax, $0.times) = (2, 0, [0]) })
        ) { world in world.disclosed.contains(where: \.isRevokedElsewhere) },
        Query(
            "late-position",
            .limit,
            "A request whose process died is answered when it comes again, in its time, and the next one is not later.",
            from: SharingWorld(adversarys { ($0.intervalMin, $0.times, $0.composedMax) = (600, [0, 60, 580], 3) })
        ) { $0.exceedsInterval() },
        Query(
            "left-out",
            .limit,
            "The server can leave updates out; the next one tells how many.",
            from: FollowedWorld()
        ) { $0.isMissed },
    ]

    private static let mutations = [
        Query(
            "without-signed-grants",
            .mutation,
            "secrecy",
            from: SharingWorld(changed(friends) { $0.missing = .grantsAreSigned })
        ) { $0.leaks },
        Query(
            "without-signed-requests",
            .mutation,
            "secrecy",
            from: SharingWorld(changed(friends) { $0.missing = .requestsAreSigned })
        ) { $0.leaks },
        Query(
            "without-signed-answers",
            .mutation,
            "authentic-answers",
            from: SharingWorld(changed(friends) { $0.missing = .answersAreSigned })
        ) { $0.deceives },
        Query(
            "without-bound-answers",
            .mutation,
            "authentic-answers",
            from: SharingWorld(changed(shared) { $0.missing = .answersAreBound })
        ) { $0.deceives },
        Query(
            "without-digests",
            .mutation,
            "uses",
            from: SharingWorld(
                adversarys { ($0.usesMax, $0.times, $0.missing) = (1, [0, 780], .usesHaveDigests) }
            )
        ) { $0.exceedsUses },
        Query(
            "without-kept-answers",
            .mutation,
            "one-answer",
            from: SharingWorld(changed(friends) { $0.missing = .answersAreKept })
        ) { $0.answersTwice },
        Query(
            "without-kept-revocations",
            .mutation,
            "revocation",
            from: SharingWorld(changed(revoked) { $0.missing = .revocationsAreKept })
        ) { world in world.disclosed.contains(where: \.isRevokedHere) },
        Query(
            "without-consent",
            .mutation,
            "consent",
            from: SharingWorld(changed(friends) { ($0.asksPerson, $0.missing) = (true, .sharersAreAsked) })
        ) { $0.lacksConsent },
        Query(
            "without-times",
            .mutation,
            "times",
            from: SharingWorld(adversarys { ($0.grantSeconds, $0.missing) = (86_400, .timesAreChecked) })
        ) { $0.exceedsTime },
    ]

    private static func changed(_ setting: Setting, _ change: (inout Setting) -> Void) -> Setting {
        var setting = setting
        change(&setting)
        return setting
    }
}
