internal import ArgumentParser
internal import Testing
internal import WhereaboutsSharing

@testable internal import WhereaboutsCommand

/// Tests for the command lines of volunteers and dispatchers.
struct ResponderCommandTests {
    @Test(arguments: ["53.55,9.99", "-53.55,-9.99", "0,180"])
    func aPlaceMayBeSouthOrWest(place: String) throws {
        let dispatch = try DispatchCommand.parse(["--at", place, "--defibrillator", place])
        let alerts = try AlertsCommand.parse(["--accept", "--at", place])
        let texts = [dispatch.at, dispatch.defibrillator, alerts.at].map { $0.map { "\($0.latitude),\($0.longitude)" } }
        let numbers = place.split(separator: ",").compactMap { Double($0) }
        #expect(texts.allSatisfy { $0 == "\(numbers[0]),\(numbers[1])" })
    }

    @Test(arguments: ["", "1", "1,2,3", "91,0", "0,181", "a,b", "nan,0"])
    func anotherTextIsNoPlace(place: String) {
        let error = #expect(throws: ValidationError.self) { try PlaceArgument(place) }
        #expect(error?.message.contains("'\(place)'") == true)
    }

    @Test(arguments: [
        [], ["--follow", "--end"], ["--at", "1,2", "--end"], ["--at", "1,2", "00"], ["--end", "--people", "2"],
        ["--at", "1,2", "--people", "0"], ["--at", "1,2", "--people", "11"], ["--at", "1,2", "--priority", "high"],
        ["--at", "1,2", "--note", String(repeating: "n", count: 161)], ["--follow", "--note", "n"],
    ])
    func aDispatchThatMakesNoSenseIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try DispatchCommand.parse(arguments) }
    }

    @Test(arguments: [["--at", "1,2"], ["00"], ["--refuse", "--at", "1,2"], ["--accept", "--refuse"]])
    func anAnswerThatMakesNoSenseIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try AlertsCommand.parse(arguments) }
    }

    @Test func aVolunteerNamesAPlaceASkillAndADispatcher() throws {
        let whole = ["--place", "-1,2", "--place", "3,-4", "--cpr", "--dispatcher", try Self.dispatcher()]
        let command = try VolunteerCommand.parse(whole + ["--hours", "08:00-20:00", "--zone", "Europe/Berlin"])
        #expect(command.place.map(\.longitude) == [2, -4])
        for arguments in [
            ["--cpr"], ["--leave", "--cpr"], ["--zone", "Europe/Berlin"],
            whole + ["--reach", "0"],
            whole + ["--hours", "8-20"], whole + ["--dispatcher", "me"], Array(whole.dropFirst(4)),
            whole + whole.suffix(2),
        ] {
            #expect(throws: (any Error).self) { try VolunteerCommand.parse(arguments) }
        }
        #expect(throws: Never.self) { try VolunteerCommand.parse([]) }
        #expect(throws: Never.self) { try VolunteerCommand.parse(["--leave"]) }
        #expect(throws: Never.self) { try VolunteerCommand.parse(["--leave", "--json"]) }
    }

    private static func dispatcher() throws -> String { try Identity().publicIdentity.text }
}
