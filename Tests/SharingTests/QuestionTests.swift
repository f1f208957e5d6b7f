internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Questions from an extension to a person, through the files that it shares with their app.
struct QuestionTests {
    private let directory: TemporaryDirectory
    private let profile: SharingProfile
    private let request: Request

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("sharer")
        self.request = try Pair().request(suite: .x25519, publicKey: []).value
    }

    private func question(for time: Duration = .seconds(60)) -> Question {
        Question(self.request, until: WallTime.now.advanced(by: time))
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(self.profile.path)/questions")) ?? []
    }

    @Test(arguments: [true, false])
    func thePersonsWordReachesTheExtension(isAllowed: Bool) async throws {
        let question = self.question()
        let (prompts, prompted) = AsyncStream.makeStream(of: Question.self)
        async let word = self.profile.word(on: question, within: .seconds(60)) { prompted.yield($0) }
        // The app is another process, with nothing but the files.
        let app = try SharingProfile(path: self.profile.path)
        for await shown in prompts.prefix(1) {
            #expect(shown == question && app.questions() == [question])
            #expect(shown.requester == self.request.grant.value.requester && shown.precision == .full)
            try app.answer(shown, isAllowed: isAllowed)
            // Answered, it is open no more.
            #expect(app.questions().isEmpty || self.files.isEmpty)
        }
        #expect(await word == isAllowed)
        #expect(self.files.isEmpty)
        #expect(throws: SharingError(.badText, "")) { try app.answer(question, isAllowed: true) }
    }

    /// Goal: nobody says yes to a question that was withdrawn.
    @Test func aWithdrawnQuestionIsOpenNoMore() async throws {
        let question = self.question()
        let (prompts, prompted) = AsyncStream.makeStream(of: Question.self)
        async let word = self.profile.word(on: question, within: .seconds(60)) { prompted.yield($0) }
        for await shown in prompts.prefix(1) {
            self.profile.withdrawQuestion(shown.request)
            #expect(self.profile.questions().isEmpty)
            #expect(throws: SharingError(.badText, "")) { try self.profile.answer(shown, isAllowed: true) }
        }
        #expect(await word == nil)
        #expect(self.files.isEmpty)
    }

    /// Goal: a yes is to the terms that the person saw, even if the process that asked was killed before it read the answer.
    @Test func aWordOnOtherTermsIsNoWord() async throws {
        let (question, other) = (self.question(), self.question(for: .seconds(30)))
        let directory = URL(filePath: "\(self.profile.path)/questions")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try Data(question.bytes).write(to: directory.appending(path: "\(question.request)"))
        try self.profile.answer(question, isAllowed: true)
        #expect(await self.profile.word(on: other, within: .milliseconds(500)) { _ in } == nil)
    }

    @Test func noWordInTimeIsNone() async throws {
        #expect(await self.profile.word(on: self.question(for: .zero), within: .zero) { _ in } == nil)
        #expect(self.files.isEmpty)
    }

    /// Goal: a disk that fails gives no consent.
    @Test func aQuestionThatCannotBeAskedIsNotAnswered() async throws {
        try Data().write(to: URL(filePath: "\(self.profile.path)/questions"))
        #expect(await self.profile.word(on: self.question(), within: .seconds(60)) { _ in } == nil)
        #expect(self.profile.questions().isEmpty)
    }

    @Test func aGrantThatIsTakenBackTakesItsQuestionAlong() throws {
        let question = self.question()
        let directory = "\(self.profile.path)/questions"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try Data(question.bytes).write(to: URL(filePath: "\(directory)/\(self.request.id)"))
        #expect(self.profile.questions() == [question])
        // As `Sharer.revoke` keeps it, before it tells the server.
        let revocation = try Pair().sharer.sign(Revocation(of: self.request.grant.value))
        try Data(revocation.bytes).write(to: URL(filePath: "\(self.profile.path)/revocations/\(question.grant)"))
        #expect(self.profile.questions().isEmpty)
    }

    /// Goal: what a killed extension left is no question, and what is damaged ends nothing.
    @Test func whatIsLeftOverIsNoQuestion() throws {
        let directory = "\(self.profile.path)/questions"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let old = self.question(for: .seconds(-1))
        try Data(old.bytes).write(to: URL(filePath: "\(directory)/\(self.request.id)"))
        try Data([1]).write(to: URL(filePath: "\(directory)/\(self.request.id).said"))
        #expect(self.profile.questions().isEmpty && self.files.isEmpty)
        #expect(throws: SharingError(.badText, "")) { try self.profile.answer(old, isAllowed: true) }
        try Data([1, 2]).write(to: URL(filePath: "\(directory)/\(self.request.id)"))
        try Data(old.bytes).write(to: URL(filePath: "\(directory)/other"))
        #expect(self.profile.questions().isEmpty)
    }
}
