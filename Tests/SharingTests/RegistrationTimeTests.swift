internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Goal: a device's messages have increasing times, because the server accepts the later one.
struct RegistrationTimeTests {
    let directory: TemporaryDirectory
    let profile: SharingProfile
    let now = WallTime(milliseconds: 1_800_000_000_000)

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("a")
    }

    private func after(_ milliseconds: Int64) -> WallTime {
        WallTime(milliseconds: self.now.milliseconds + milliseconds)
    }

    private var file: String { self.profile.path + "/registered" }

    @Test func itIsTheClocksUnlessThatIsNotLater() {
        #expect(Registration.time(after: nil, now: self.now) == self.now)
        #expect(Registration.time(after: self.after(-1), now: self.now) == self.now)
        #expect(Registration.time(after: self.now, now: self.now) == self.after(1))
        #expect(Registration.time(after: self.after(60_000), now: self.now) == self.after(60_001))
    }

    @Test func twoWithinAMillisecondFollowEachOther() throws {
        let times = try (0..<3).map { _ in try self.profile.deviceFile.nextRegistrationTime(now: self.now) }
        #expect(times == [self.now, self.after(1), self.after(2)])
        // The clock overtakes them.
        #expect(try self.profile.deviceFile.nextRegistrationTime(now: self.after(50)) == self.after(50))
    }

    @Test func aClockSetBackIsOutrunByAnotherProcessToo() throws {
        _ = try self.profile.deviceFile.nextRegistrationTime(now: self.after(3_600_000))
        let again = try SharingProfile(path: self.profile.path)
        #expect(try again.deviceFile.nextRegistrationTime(now: self.now) == self.after(3_600_001))
        #expect(try self.profile.deviceFile.nextRegistrationTime(now: self.now) == self.after(3_600_002))
    }

    @Test(arguments: ["", "soon", "12 34", "99999999999999999999"])
    func aDamagedFileIsWrittenAnew(text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self.file))
        #expect(try self.profile.deviceFile.nextRegistrationTime(now: self.now) == self.now)
        #expect(try self.profile.deviceFile.nextRegistrationTime(now: self.now) == self.after(1))
    }

    @Test func aTimeThatCannotBeKeptIsNotGiven() throws {
        // A directory in place of the file, so that even root cannot write it.
        try FileManager.default.createDirectory(atPath: self.file, withIntermediateDirectories: false)
        let error = #expect(throws: SharingError.self) {
            try self.profile.deviceFile.nextRegistrationTime(now: self.now)
        }
        #expect(error == SharingError(.badProfile, ""))
        #expect(error?.message.hasPrefix("cannot replace \(self.file): ") == true)
        #expect(error?.message.hasSuffix("; check the disk and the owner") == true)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: self.profile.path).filter { $0.hasSuffix(".draft") }
                == []
        )
    }

    /// Method: the profile's path leads to where even root cannot write.
    @Test func aHomeThatIsReadOnlyIsNamed() throws {
        let link = self.directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: self.profile.path)
        let profile = try SharingProfile(path: link)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/sys")
        let error = #expect(throws: SharingError.self) { try profile.deviceFile.nextRegistrationTime(now: self.now) }
        #expect(error?.message.hasPrefix("cannot create \(link)/registered.") == true)
        #expect(error?.message.hasSuffix("; check the disk and the owner") == true)
    }
}
