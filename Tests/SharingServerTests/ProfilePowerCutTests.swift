internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A device whose power is cut after it answered.
@Suite(.timeLimit(.minutes(1))) struct ProfilePowerCutTests {
    /// Goal: a request that was answered is not answered again, whether or not the server confirmed the answer.
    ///
    /// Method: after each number of answers, the use of a grant is recorded, which synchronises the directory, and the power is
    /// cut. Then the answered requests come once more.
    @Test(arguments: 1...3) func anAnswerIsGivenOnce(count: Int) throws {
        let town = try Town()
        let sharer = try Sharer(profile: town.profile("disk", port: 1))
        let requester = try town.profile("requester", port: 1).identity
        let grant = try sharer.approve(
            requester: requester.publicIdentity,
            precision: .full,
            for: .seconds(600),
            limits: GrantLimits(usesMax: 9)
        )
        let requests = try (0...count).map { _ in try town.request(grant, by: requester) }
        let files = requests.indices.map { town.path("request\($0)") }
        for (request, file) in zip(requests, files) { try Data(request.bytes).write(to: URL(filePath: file)) }
        let power = try PowerCut(in: sharer.profile.path, Binaries())
        let probe = try Child(
            "device",
            Binaries().path("transport-probe"),
            ["answer", sharer.profile.path] + files,
            environment: power.environment,
            log: town.path("probe.log")
        )
        let ended = try probe.waitForEnd(within: 30)
        let given = ended.output.split(separator: "\n").count { $0.hasSuffix(" answer") }
        #expect(ended.status == 0 && given == count, "\(ended.output)")
        try power.cut()
        let profile = try SharingProfile(path: sharer.profile.path)
        for request in requests.prefix(count) {
            let action = try profile.records().received(request.value, policy: SharingPolicy(), now: .now)
            #expect(action != .answer, "\(ended.output)")
        }
    }
}
