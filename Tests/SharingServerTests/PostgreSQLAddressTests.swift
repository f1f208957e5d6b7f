internal import Rig
internal import Testing
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsSharingServer

/// Tests for database URLs, and for their display to people.
struct PostgreSQLAddressTests {
    @Test(arguments: [
        ("postgres://db.example/whereabouts", "postgres://db.example/whereabouts", false),
        ("postgresql://me@db.example:5433/w?sslmode=require", "postgresql://db.example:5433/w", false),
        ("postgres://me:secret@a,b/w", "postgres://a,b/w", true),
        ("postgres://me:s@cret@a/w", "postgres://a/w", true),
        ("postgres://a/w?user=me&password=secret", "postgres://a/w", true),
    ])
    func peopleReadNoPassword(_ url: String, _ description: String, _ hasPassword: Bool) throws {
        let address = try #require(try PostgreSQLAddress(url))
        #expect(address.description == description)
        #expect(address.hasPassword == hasPassword)
    }

    @Test(arguments: ["server.sqlite", "/var/lib/postgres/server.sqlite", "postgres", "file:postgres://a"])
    func aPathIsNoURL(_ path: String) throws { #expect(try PostgreSQLAddress(path) == nil) }

    @Test(arguments: ["mysql://me:secret@a/w", "POSTGRES://me:secret@a/w", "https://a"])
    func anotherSchemeIsRefusedWithoutThePassword(_ url: String) throws {
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLAddress(url) }
        let message = try #require(error?.description)
        #expect(message.contains("://… is not a URL of PostgreSQL") && !message.contains("secret"), "\(message)")
    }

    /// Goal: an error of libpq, which repeats unreadable input, does not write a password to a log.
    @Test(arguments: [
        "postgres://me:sec%zzret@127.0.0.1:1/w", "postgres://me:sec%00ret@127.0.0.1:1/w",
        "postgres://127.0.0.1:1/w?password=sec%zzret",
        "postgres://me:secret@127.0.0.1:port/w", "postgres://me:sec@ret@127.0.0.1:1/w",
        "postgres://me:secret@127.0.0.1:1/w",
    ])
    func noErrorHasThePassword(_ url: String) throws {
        let address = try #require(try PostgreSQLAddress(url))
        let error = #expect(throws: SharingError.self) { try PostgreSQLStore(address, policy: SharingPolicy()) }
        let message = try #require(error?.message)
        #expect(message.contains(address.description))
        #expect(!message.contains("sec") && !message.contains("ret@"), "\(message)")
    }
}
