internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests for questions from an extension to a person, in the files that it shares with the app.
struct QuestionTests {
    private let temporary: TemporaryDirectory
    private let profile: SharingProfile
    private let request: Request

    init() throws {
        self.temporary = try TemporaryDirectory()
        self.profile = try self.temporary.profile("sharer")
        self.request = try Pair().request(suite: .x25519, publicKey: []).value
    }

    private func question(for time: Duration = .seconds(60)) -> Question {
        Question(self.request, until: WallTime.now.advanced(by: time))
    }

    private var directory: URL { URL(filePath: "\(self.profile.path)/questions") }

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: self.directory.path)) ?? [] }

    /// Writes a file as a process that was killed would leave it: a question under its request's digest, or other bytes.
    private func leave(_ bytes: [UInt8], _ name: String) throws {
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        try Data(bytes).write(to: self.directory.appending(path: name))
    }

    private func leave(_ question: Question) throws { try self.leave(question.bytes, question.digest.fileName) }

    @Test(arguments: [true, false])
    func thePersonsWordReachesTheExtension(isAllowed: Bool) async throws {
        let question = self.question()
        let (prompts, prompted) = AsyncStream.makeStream(of: Question.self)
        async let word = self.profile.questionFiles.word(on: question, within: .seconds(60)) { prompted.yield($0) }
        // The app is another process, which shares only the files.
        let app = try SharingProfile(path: self.profile.path)
        for await shown in prompts.prefix(1) {
            #expect(shown == question && app.questions() == [question])
            #expect(shown.requester == self.request.grant.value.requester && shown.precision == .full)
            try app.answer(shown, isAllowed: isAllowed)
            // An answered question is closed.
            #expect(app.questions().isEmpty || self.files.isEmpty)
        }
        #expect(await word == isAllowed)
        #expect(self.files.isEmpty)
        #expect(throws: SharingError(.badText, "")) { try app.answer(question, isAllowed: true) }
    }

    /// Goal: nobody can say "yes" to a withdrawn question.
    @Test func aWithdrawnQuestionIsOpenNoMore() async throws {
        let question = self.question()
        let (prompts, prompted) = AsyncStream.makeStream(of: Question.self)
        async let word = self.profile.questionFiles.word(on: question, within: .seconds(60)) { prompted.yield($0) }
        for await shown in prompts.prefix(1) {
            self.profile.questionFiles.withdraw(shown.digest)
            #expect(self.profile.questions().isEmpty)
            #expect(throws: SharingError(.badText, "")) { try self.profile.answer(shown, isAllowed: true) }
        }
        #expect(await word == nil)
        #expect(self.files.isEmpty)
    }

    /// Goal: a requester who signs two requests with one ID causes two questions, and a "yes" applies to one.
    @Test func questionsWithOneIDAreSeveral() throws {
        let single = self.question()
        let following = Question(try Pair().followRequest(publicKey: []).value, until: single.until)
        #expect(single.request == following.request && single.digest != following.digest)
        try self.leave(single)
        try self.leave(following)
        #expect(Set(self.profile.questions()) == [single, following])
        try self.profile.answer(single, isAllowed: true)
        #expect(self.profile.questions() == [following])
        self.profile.questionFiles.withdraw(single.digest)
        #expect(self.profile.questions() == [following] && self.files == [following.digest.fileName])
    }

    /// Goal: a "yes" applies to the question that the person saw, even if the asking process was killed before it read
    /// the answer.
    ///
    /// Method: the later question is about another request with the same ID, or about the same request, asked again.
    @Test(arguments: [true, false]) func aWordOnAnEarlierQuestionIsNoWord(isOtherRequest: Bool) async throws {
        let earlier = self.question()
        let later =
            isOtherRequest
            ? Question(try Pair().followRequest(publicKey: []).value, until: earlier.until)
            : self.question(for: .seconds(30))
        try self.leave(earlier)
        try self.profile.answer(earlier, isAllowed: true)
        #expect(earlier.request == later.request)
        #expect(await self.profile.questionFiles.word(on: later, within: .milliseconds(500)) { _ in } == nil)
    }

    @Test func noWordInTimeIsNone() async throws {
        #expect(await self.profile.questionFiles.word(on: self.question(for: .zero), within: .zero) { _ in } == nil)
        #expect(self.files.isEmpty)
    }

    /// Goal: if the disk fails, there is no consent.
    @Test func aQuestionThatCannotBeAskedIsNotAnswered() async throws {
        try Data().write(to: self.directory)
        #expect(await self.profile.questionFiles.word(on: self.question(), within: .seconds(60)) { _ in } == nil)
        #expect(self.profile.questions().isEmpty)
    }

    @Test func aGrantThatIsTakenBackTakesItsQuestionAlong() throws {
        let question = self.question()
        try self.leave(question)
        #expect(self.profile.questions() == [question])
        // As `Sharer.revoke` keeps it, before it tells the server.
        let revocation = try Pair().sharer.sign(Revocation(of: self.request.grant.value))
        try Data(revocation.bytes).write(to: URL(filePath: "\(self.profile.path)/revocations/\(question.grant)"))
        #expect(self.profile.questions().isEmpty)
    }

    /// Goal: a killed extension leaves no open question, and a damaged file ends no process.
    @Test func whatIsLeftOverIsNoQuestion() throws {
        let old = self.question(for: .seconds(-1))
        try self.leave(old)
        try self.leave([1], "\(old.digest.fileName).said")
        #expect(self.profile.questions().isEmpty && self.files.isEmpty)
        #expect(throws: SharingError(.badText, "")) { try self.profile.answer(old, isAllowed: true) }
        try self.leave([1, 2], old.digest.fileName)
        try self.leave(self.question().bytes, "other")
        #expect(self.profile.questions().isEmpty)
    }
}
