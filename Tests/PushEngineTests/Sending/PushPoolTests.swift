internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct PushPoolTests {
    @Test func aPushOpensAConnectionAndEndsWithItsAnswer() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1       -> connect 1
            0.1 settings 1 100 -> (connected), token 1, send 1@1/1
            0.2 ok 1/1         -> end 1 accepted
            0.3 submit 2       -> send 2@1/3
            0.4 no 1/3 Unregistered -> end 2 Unregistered
            0.5 submit 3       -> send 3@1/5
            0.6 odd 1/5        -> end 3 unreadable
            0.7 ok 1/5
            """
        )
    }

    /// Goal: Apple's reasons, forwarded by a relay, do not affect the connection to the relay, which accepted the
    /// provider token.
    @Test func whatARelayAnswersIsNoMatterOfTheConnection() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1       -> connect 1
            0.1 settings 1 100 -> (connected), token 1, send 1@1/1
            0.2 no 1/1 Shutdown apple -> end 1 Shutdown
            0.3 submit 2       -> send 2@1/3
            0.4 no 1/3 InternalServerError vendor -> end 2 InternalServerError
            0.5 submit 3       -> send 3@1/5
            0.6 ok 1/5         -> end 3 accepted
            """
        )
    }

    @Test func theServersLimitOfStreamsIsFollowedUpAndDown() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1     -> connect 1
            0   submit 2
            0   submit 3
            0.1 settings 1 1 -> (connected), token 1, send 1@1/1
            0.2 settings 1 2 -> send 2@1/3
            0.3 settings 1 1
            0.4 ok 1/1       -> end 1 accepted
            0.5 ok 1/3       -> end 2 accepted, send 3@1/5
            """
        )
    }

    @Test func aLimitOfNothingEndsPushesAtTheirDeadlines() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1 2   -> connect 1
            0.1 settings 1 0 -> (connected)
            2   timer        -> end 1 late unsent
            """
        )
    }

    /// Goal: connections are opened with the load, one at a time, and closed afterwards; the first one stays.
    @Test func connectionsGrowAndShrinkWithTheLoad() {
        var script = PoolScript()
        script.run(
            """
            0    submit 1     -> connect 1
            0.1  settings 1 1 -> (connected), token 1, send 1@1/1
            0.1  submit 2
            0.2  ok 1/1       -> end 1 accepted, send 2@1/3
            0.3  submit 3
            1    timer        -> connect 2
            1.1  submit 4
            1.2  settings 2 1 -> (connected), send 3@2/1
            1.3  ok 2/1       -> end 3 accepted, send 4@2/3
            1.4  ok 1/3       -> end 2 accepted
            1.5  ok 2/3       -> end 4 accepted
            61.4 timer        -> close 2
            61.4 ended 2
            61.5 submit 5     -> ping 1
            61.6 heard 1      -> send 5@1/5
            """
        )
    }

    /// Goal: after a quiet period, a push is not sent on a connection that died unnoticed.
    @Test func aConnectionThatWasQuietIsAskedFirst() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1       -> connect 1
            0   settings 1 100 -> (connected), token 1, send 1@1/1
            0   ok 1/1         -> end 1 accepted
            70  submit 2       -> ping 1
            73  timer          -> (silent), close 1, connect 2
            73  ended 1
            73.1 settings 2 100 -> (connected), send 2@2/1
            """
        )
    }

    @Test func silenceWithPushesUnderWayIsAskedAbout() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1 60    -> connect 1
            0   settings 1 100 -> (connected), token 1, send 1@1/1
            5   timer          -> ping 1
            6   heard 1
            11  timer          -> ping 1
            11  submit 2 60
            14  timer          -> (silent), end 1 lost, close 1, connect 2
            14  ended 1        -> (failed)
            14  settings 2 100 -> (connected), send 2@2/1
            """
        )
    }

    @Test func anIdleConnectionIsPingedEachHour() {
        var script = PoolScript()
        script.run(
            """
            0    submit 1       -> connect 1
            0    settings 1 100 -> (connected), token 1, send 1@1/1
            0    ok 1/1         -> end 1 accepted
            3600 timer          -> ping 1
            3601 heard 1
            """
        )
    }

    @Test func goAwayDrainsAndWhatWasNotProcessedGoesElsewhere() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1         -> connect 1
            0   settings 1 100   -> (connected), token 1, send 1@1/1
            0   submit 2         -> send 2@1/3
            0   submit 3         -> send 3@1/5
            1   goaway 1/1 Shutdown -> (goaway Shutdown), (sentAgain), (sentAgain), connect 2
            1   ok 1/1           -> end 1 accepted, close 1
            1   ended 1
            1.1 settings 2 100   -> (connected), send 2@2/1, send 3@2/3
            """
        )
    }

    /// Goal: if APNs rejects a certificate, the push fails, because further connections would be rejected, too.
    @Test(arguments: ["BadCertificate", "BadCertificateEnvironment"])
    func aRejectedCertificateEndsThePush(reason: String) {
        var script = PoolScript()
        script.run(
            """
            0   submit 1         -> connect 1
            0   settings 1 100   -> (connected), token 1, send 1@1/1
            1   goaway 1/0 \(reason) -> (goaway \(reason)), end 1 \(reason), close 1
            """
        )
    }

    /// Goal: the two steps of a graceful shutdown (RFC 9113, 6.8): first everything is accepted, then requests up to
    /// the last stream.
    @Test func theSecondGoAwayMayTakeStreamsBack() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1       -> connect 1
            0   settings 1 100 -> (connected), token 1, send 1@1/1
            0   submit 2       -> send 2@1/3
            1   goaway 1/2147483647 -> (goaway -)
            1   submit 3       -> connect 2
            1.1 goaway 1/1     -> (goaway -), (sentAgain)
            1.2 settings 2 100 -> (connected), send 2@2/1, send 3@2/3
            """
        )
    }

    @Test func refusedStreamsAreSentAgainAfterAPauseAndNotForEver() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1       -> connect 1
            0   settings 1 100 -> (connected), token 1, send 1@1/1
            0   refused 1/1    -> (sentAgain)
            0.2 timer          -> send 1@1/3
            0.2 refused 1/3    -> (sentAgain)
            0.4 timer          -> send 1@1/5
            0.4 refused 1/5    -> (sentAgain)
            0.6 timer          -> send 1@1/7
            0.6 refused 1/7    -> (sentAgain)
            0.8 timer          -> send 1@1/9
            0.8 refused 1/9    -> end 1 refused
            """
        )
    }

    /// Goal: a push that may have been accepted is not sent twice.
    @Test func pushesOfABrokenStreamOrConnectionAreLostNotSentAgain() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1       -> connect 1
            0   settings 1 100 -> (connected), token 1, send 1@1/1
            0   submit 2       -> send 2@1/3
            0   broken 1/1     -> end 1 lost
            0   ended 1        -> end 2 lost, (failed)
            """
        )
    }

    @Test func aStaleTokenBringsAConnectionAndWhenItIsOldATokenToo() {
        var script = PoolScript()
        script.run(
            """
            0    submit 1       -> connect 1
            0    settings 1 100 -> (connected), token 1, send 1@1/1
            0    ok 1/1         -> end 1 accepted
            50   submit 2       -> send 2@1/3
            50   no 1/3 ExpiredProviderToken -> (tokenExpired), close 1, (sentAgain), connect 2
            50   ended 1
            50.1 settings 2 100 -> (connected), send 2@2/1
            60   no 2/1 ExpiredProviderToken -> (tokenExpired), close 2, (sentAgain), connect 3
            60   ended 2        -> (failed)
            60.5 settings 3 100 -> (connected), token 2, send 2@3/1
            """
        )
    }

    @Test func tokensLiveFiftyMinutes() {
        var script = PoolScript()
        script.run(
            """
            0    submit 1       -> connect 1
            0    settings 1 100 -> (connected), token 1, send 1@1/1
            0    ok 1/1         -> end 1 accepted
            2999 submit 2       -> ping 1
            2999 heard 1        -> send 2@1/3
            2999 ok 1/3         -> end 2 accepted
            3000 submit 3       -> token 2, send 3@1/5
            """
        )
    }

    /// Goal: a jumping clock may cause a new token at any time, but no connection gets two within 20 minutes.
    @Test func aConnectionSeesNoTwoTokensInTwentyMinutes() {
        var script = PoolScript()
        script.run(
            """
            0    submit 1       -> connect 1
            0    settings 1 100 -> (connected), token 1, send 1@1/1
            0    ok 1/1         -> end 1 accepted
            """
        )
        script.clockJump = .seconds(7200)
        script.run(
            """
            1    submit 2       -> token 2, close 1, connect 2
            1    ended 1
            1    settings 2 100 -> (connected), send 2@2/1
            """
        )
    }

    @Test func failedAttemptsAreRepeatedLaterAndEndWhatWaits() {
        var script = PoolScript()
        script.run(
            """
            0    submit 1  -> connect 1
            0    ended 1   -> (failed)
            0.9  timer     -> connect 2
            0.9  submit 2
            0.9  ended 2   -> (failed)
            3    timer     -> connect 3
            3    ended 3   -> (failed), end 1 unreachable
            10.9 timer     -> end 2 late unsent
            """
        )
    }

    @Test func anAttemptThatTakesTooLongIsGivenUp() {
        var script = PoolScript()
        script.run(
            """
            0  submit 1 30 -> connect 1
            10 timer       -> close 1, connect 2
            10 ended 1     -> (failed)
            """
        )
    }

    @Test func deadlinesAndCancellationsResetStreams() {
        var script = PoolScript()
        script.run(
            """
            0   submit 1 60    -> connect 1
            0   settings 1 1   -> (connected), token 1, send 1@1/1
            0   submit 2 2
            0   submit 3 1
            1   timer          -> end 3 late unsent
            1   heard 1
            2   timer          -> end 2 late unsent
            2   cancel 1       -> reset 1/1, end 1 cancelled
            2   submit 4 1     -> send 4@1/3
            2   submit 5 1
            3   timer          -> ping 1, reset 1/3, end 4 late, end 5 late unsent
            3   submit 6
            3   cancel 6       -> end 6 cancelled unsent
            3   cancel 6
            3   submit 7
            3   broken 1/3
            3.1 heard 1        -> send 7@1/5
            """
        )
    }

    @Test func noMorePushesAreTakenThanAreAllowed() {
        var script = PoolScript()
        script.run("0 submit 1 -> connect 1")
        for ticket in 2...8 { script.run("0 submit \(ticket)") }
        script.run("0 submit 9 -> end 9 full")
        script.run("0 cancel 1 -> end 1 cancelled unsent")
        script.run("0 submit 9")
    }

    @Test func theEndWaitsForPushesAndTakesNoMore() {
        var script = PoolScript()
        script.run(
            """
            0 submit 1       -> connect 1
            0 settings 1 1   -> (connected), token 1, send 1@1/1
            0 submit 2
            1 shutdown
            1 submit 3       -> end 3 shutDown
            1 ok 1/1         -> end 1 accepted, send 2@1/3
            1 ok 1/3         -> end 2 accepted, close 1
            1 ended 1        -> all ended
            """
        )
        var idle = PoolScript()
        idle.run("0 shutdown -> all ended")
    }

    /// Goal: before the stream IDs of a connection are used up, it is replaced.
    @Test func aConnectionEndsWithItsLastStream() {
        var connection = PoolConnection(id: 1, now: EngineInstant(sinceStart: .zero))
        connection.settingsReceived(streamsMax: nil, now: EngineInstant(sinceStart: .zero))
        #expect(connection.pushSent(1, now: EngineInstant(sinceStart: .zero)) == 1)
        #expect(PoolConnection.lastStream % 2 == 1 && PoolConnection.lastStream == Int32.max - 2)
        #expect(connection.state == .open)
    }
}
