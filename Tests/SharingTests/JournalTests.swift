internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests for the journal on disk, which any process of the app writes: it is complete after a crash, and reports
/// losses.
struct JournalTests {
    private let directory: TemporaryDirectory
    private let profile: SharingProfile
    private let pair: Pair

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("sharer")
        self.pair = try Pair()
    }

    private var path: String { self.profile.path + "/journal" }

    private func request() throws -> Request {
        var generator = SystemRandomNumberGenerator()
        let request = Request(
            under: try self.pair.grant(),
            precision: .reduced,
            suite: .x25519,
            publicKey: [],
            using: &generator,
            now: .now
        )
        return request
    }

    /// Answers a request, and delivers the answer unless the test says otherwise.
    @discardableResult private func answer(
        _ content: Answer.Content,
        in profile: SharingProfile? = nil,
        end: JournalEntry.End? = .delivered
    ) throws -> RequestID {
        let (profile, request) = (profile ?? self.profile, try self.request())
        #expect(
            try profile.records().answered(request, [1], saying: content, policy: SharingPolicy(), now: .now) == .answer
        )
        if let end {
            let answer = try #require(profile.records().undelivered.first { $0.request == request.id })
            profile.records().ended(answer, end, now: .now)
        }
        return request.id
    }

    private func change(_ file: String? = nil, _ body: (inout [UInt8]) -> Void) throws {
        let url = URL(fileURLWithPath: file ?? self.path)
        var bytes = [UInt8](try Data(contentsOf: url))
        body(&bytes)
        try Data(bytes).write(to: url)
    }

    @Test func aJournalSaysWhoGotWhat() throws {
        #expect(try self.profile.journal().lines.isEmpty)
        #expect(try self.profile.journal().fault == nil)
        let fix = Answer.Content.fix(try berlin.get())
        let first = try self.answer(fix)
        // The extension's process continues where the app's ended.
        let second = try self.answer(
            .refusal(.notConsented),
            in: SharingProfile(path: self.profile.path),
            end: .declined
        )
        let third = try self.answer(.unavailable(String(repeating: "é", count: 400)), end: nil)
        let journal = try self.profile.journal()
        #expect(journal.fault == nil && journal.lines.map(\.number) == [1, 2, 3, 4, 5])
        #expect(journal.requests.map(\.request) == [first, second, third])
        #expect(journal.requests.map(\.end) == [.delivered, .declined, nil])
        #expect(journal.requests.map(\.content).prefix(2) == [fix, .refusal(.notConsented)])
        #expect(journal.requests.allSatisfy { $0.requester == self.pair.requester.publicIdentity })
        #expect(journal.requests.allSatisfy { $0.asked == .reduced })
    }

    /// Goal: a stolen disk or a backup reveals nothing, not even by sizes, and only the owner can read the files.
    @Test func linesAreSealedAndOfOneSize() throws {
        try self.answer(.unavailable("a sentence to be found"), end: nil)
        try self.answer(.fix(berlin.get()), end: nil)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: self.path))
        #expect(bytes.count == 2 * JournalFile.lineByteCount)
        #expect(bytes.firstRange(of: Data("a sentence".utf8)) == nil)
        #expect(bytes.firstRange(of: Data(self.pair.requester.publicIdentity.bytes)) == nil)
        for path in [self.path, self.path + ".ends"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let other = try self.directory.profile("other")
        try bytes.write(to: URL(fileURLWithPath: other.path + "/journal"))
        #expect(try other.journal().fault == .unreadable(line: 1))
    }

    @Test func theBrokenLineIsNamed() throws {
        for _ in 0..<3 { try self.answer(.fix(berlin.get())) }
        let whole = try Data(contentsOf: URL(fileURLWithPath: self.path))
        let size = JournalFile.lineByteCount
        func fault(_ body: (inout [UInt8]) -> Void) throws -> JournalFault? {
            try whole.write(to: URL(fileURLWithPath: self.path))
            try self.change(nil, body)
            return try self.profile.journal().fault
        }
        #expect(try fault { _ in } == nil)
        #expect(try fault { $0[3 * size + 100] ^= 1 } == .unreadable(line: 4))
        #expect(try fault { $0.removeSubrange(2 * size..<3 * size) } == .missing(first: 3, last: 3))
        #expect(try fault { $0.removeFirst(size) } == .missing(first: 1, last: 1))
        #expect(try fault { $0.removeLast(2 * size) } == .missing(first: 5, last: 6))
        #expect(try fault { $0 += $0.suffix(size) } == .unconnected(line: 6))
        #expect(try fault { $0 = [] } == .missing(first: 1, last: 6))
        // Two lines are swapped, in the middle and at the beginning, and a copy of line 2 replaces line 5.
        func line(_ number: Int) -> Range<Int> { (number - 1) * size..<number * size }
        for number in [1, 3] {
            let swapped = try fault { bytes in
                let second = Array(bytes[line(number + 1)])
                bytes.replaceSubrange(line(number + 1), with: Array(bytes[line(number)]))
                bytes.replaceSubrange(line(number), with: second)
            }
            #expect(swapped == .unconnected(line: UInt64(number) + 1))
        }
        #expect(try fault { $0.replaceSubrange(line(5), with: Array($0[line(2)])) } == .unconnected(line: 2))
    }

    /// Goal: an answer after a loss does not hide the loss.
    @Test func aLossStaysVisible() throws {
        for _ in 0..<3 { try self.answer(.fix(berlin.get())) }
        try self.change { $0.removeLast(2 * JournalFile.lineByteCount) }
        try self.answer(.fix(berlin.get()))
        #expect(try self.profile.journal().fault == .missing(first: 5, last: 6))
        #expect(try self.profile.journal().lines.map(\.number) == [1, 2, 3, 4, 7, 8])
    }

    /// Goal: a crash during a line loses only that line, whose answer was not given.
    @Test(arguments: [1, JournalFile.lineByteCount - 1, JournalFile.lineByteCount]) func aTornLineIsNone(
        _ count: Int
    ) throws {
        try self.answer(.fix(berlin.get()))
        try self.change { $0 += Array(repeating: 0, count: count) }
        if count < JournalFile.lineByteCount { #expect(try self.profile.journal().fault == nil) }
        try self.answer(.fix(berlin.get()))
        #expect(try self.profile.journal().fault == nil)
        #expect(try self.profile.journal().lines.map(\.number) == [1, 2, 3, 4])
    }

    /// Goal: a line without its record of the ends, because of a crash, does not count as a loss.
    @Test func anOldRecordOfTheEndsIsMended() throws {
        try self.answer(.fix(berlin.get()))
        let ends = try Data(contentsOf: URL(fileURLWithPath: self.path + ".ends"))
        try self.answer(.fix(berlin.get()))
        try ends.write(to: URL(fileURLWithPath: self.path + ".ends"))
        #expect(try self.profile.journal().fault == nil)
        try self.answer(.fix(berlin.get()))
        #expect(try self.profile.journal().lines.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(try self.profile.journal().fault == nil)
    }

    /// Goal: neither kind of record opens as the other, whatever their sizes are.
    @Test func linesAndEndsHaveLabelsOfTheirOwn() throws {
        try self.answer(.fix(berlin.get()))
        let line = try Data(contentsOf: URL(fileURLWithPath: self.path)).prefix(JournalFile.lineByteCount)
        try line.write(to: URL(fileURLWithPath: self.path + ".ends"))
        #expect(try self.profile.journal().fault == .endsUnknown)
    }

    @Test func aRecordOfTheEndsThatIsGoneIsSaid() throws {
        try self.answer(.fix(berlin.get()))
        try FileManager.default.removeItem(atPath: self.path + ".ends")
        #expect(try self.profile.journal().fault == .endsUnknown)
    }

    /// Goal: an answer that cannot be written to the journal is not given.
    @Test func withoutAJournalNothingIsAnswered() throws {
        // A directory where the file should be.
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: false)
        let request = try self.request()
        #expect(throws: SharingError(.badProfile, "")) {
            try self.profile.records().answered(
                request,
                [1],
                saying: .refusal(.revoked),
                policy: SharingPolicy(),
                now: .now
            )
        }
        #expect(self.profile.records().undelivered.isEmpty)
        #expect(try self.profile.records().received(request, policy: SharingPolicy(), now: .now) == .answer)
    }

    @Test func theOldestLinesMakeRoom() throws {
        let file = JournalFile(path: self.path, identity: self.profile.identity, linesMax: 8)
        let entry = JournalEntry(.refusal(.revoked), to: try self.request(), at: .now)
        for _ in 1...8 { try file.append(entry) }
        #expect(try self.profile.journal().lines.count == 8)
        for _ in 9...10 { try file.append(entry) }
        #expect(try self.profile.journal().fault == nil)
        #expect(try self.profile.journal().lines.map(\.number) == Array(3...10))
        for _ in 11...20 { try file.append(entry) }
        #expect(try self.profile.journal().fault == nil)
        // Deleting more than necessary for room counts as a loss.
        let first = try #require(self.profile.journal().lines.first).number
        try self.change { $0.removeFirst(JournalFile.lineByteCount) }
        #expect(try self.profile.journal().fault == .missing(first: first, last: first))
    }

    @Test func newsAreToldOnceByWhicheverProcess() throws {
        let other = try SharingProfile(path: self.profile.path)
        #expect(try self.profile.news().isEmpty)
        try self.answer(.fix(berlin.get()))
        #expect(try other.news().count == 1)
        #expect(try self.profile.news().isEmpty)
        try self.profile.tell(.daily)
        try self.answer(.fix(berlin.get()))
        #expect(try other.news().isEmpty)
        try self.profile.tell(.atOnce)
        #expect(try other.news().count == 1)
        // A damaged record causes a second report, and loses no answer.
        try Data([9, 9]).write(to: URL(fileURLWithPath: self.profile.path + "/told"))
        #expect(try other.news().count == 2)
    }

    @Test func positionsAreExported() throws {
        try self.answer(.fix(berlin.get()))
        try self.answer(.unavailable("</gpx> & \u{1B}[31m"))
        let requests = try self.profile.journal().requests
        let gpx = JournalExport.gpx(requests)
        #expect(gpx.contains(#"<wpt lat="52.5200066" lon="-13.404954">"#) && gpx.contains("<ele>34.25</ele>"))
        #expect(gpx.components(separatedBy: "<wpt").count == 2 && !gpx.contains("&"))
        let json = try JSONSerialization.jsonObject(with: Data(JournalExport.geoJSON(requests).utf8)) as? [String: Any]
        let features = try #require(json?["features"] as? [[String: Any]])
        let geometry = try #require(features.first?["geometry"] as? [String: Any])
        #expect(features.count == 1 && geometry["coordinates"] as? [Double] == [-13.404954, 52.5200066, 34.25])
    }
}
