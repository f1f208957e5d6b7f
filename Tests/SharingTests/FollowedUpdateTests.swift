internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests for the encoding of live-share updates: one encoding for each value, one size, and no update opens in another
/// live share.
struct FollowedUpdateTests {
    private func drawn(using generator: inout SeededGenerator) throws -> FollowedUpdate {
        let fix = try SharedFix(
            latitude: Double(Int32.random(in: -900_000_000...900_000_000, using: &generator)) / 1e7,
            longitude: Double(Int32.random(in: -1_800_000_000...1_800_000_000, using: &generator)) / 1e7,
            horizontalAccuracy: Double(UInt32.random(in: 0...1_000_000, using: &generator)) / 1e3,
            time: WallTime(milliseconds: .random(in: 0...4_000_000_000_000, using: &generator)),
            altitude: Bool.random(using: &generator) ? 34.25 : nil,
            course: Bool.random(using: &generator) ? 271.5 : nil,
            speed: Bool.random(using: &generator) ? 1.25 : nil
        )
        let place: FollowedPlace =
            switch UInt8.random(in: 0..<3, using: &generator) {
            case 0: .moving(fix)
            case 1: .still(fix, since: WallTime(milliseconds: .random(in: 0...4_000_000_000_000, using: &generator)))
            default: .unknown(String(repeating: "ä", count: .random(in: 0...48, using: &generator)))
            }
        return FollowedUpdate(
            number: .init(
                run: .random(in: 1 ... .max, using: &generator),
                count: .random(in: 0 ... .max, using: &generator)
            ),
            time: WallTime(milliseconds: .random(in: 0...4_000_000_000_000, using: &generator)),
            silenceMax: .random(in: 0 ... .max, using: &generator),
            place: place
        )
    }

    /// Goal: every update is read as it was written, and changed bytes are invalid or another update.
    ///
    /// Method: 500 random updates, each with one byte changed.
    @Test func anUpdateHasOneEncodingOfOneSize() throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<500 {
            let update = try self.drawn(using: &generator)
            var bytes = update.paddedBytes
            #expect(bytes.count == FollowedUpdate.paddedByteCount)
            #expect(try FollowedUpdate(paddedBytes: bytes) == update)
            bytes[Int.random(in: bytes.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            guard let other = try? FollowedUpdate(paddedBytes: bytes) else { continue }
            #expect(other != update && other.paddedBytes == bytes)
        }
    }

    @Test func whatIsTooLongIsCutAndSteersNoTerminal() throws {
        let update = FollowedUpdate(
            number: .init(run: 1, count: 0),
            time: WallTime(milliseconds: 0),
            silenceMax: 1,
            place: .unknown("\u{1B}[2J" + String(repeating: "x", count: 500))
        )
        guard case .unknown(let reason) = try FollowedUpdate(paddedBytes: update.paddedBytes).place else {
            throw FixtureError()
        }
        #expect(reason.utf8.count == FollowedUpdate.reasonByteCountMax && !reason.contains("\u{1B}"))
        for count in [0, 127, 129] {
            #expect(throws: SharingError.self) { try FollowedUpdate(paddedBytes: Array(repeating: 0, count: count)) }
        }
    }

    /// Goal: an answer does not open as an update, and an update of one live share does not open in another.
    @Test(arguments: Suite.allCases)
    func anUpdateOpensUnderItsOwnRequestAlone(suite: Suite) throws {
        let sealing = HPKESealing()
        let key = try sealing.makeKey(suite: suite)
        let request = try Pair().followRequest(publicKey: Array(repeating: 9, count: 32))
        let other = try Pair().followRequest(publicKey: Array(repeating: 8, count: 32))
        let sealed = try sealing.seal(to: key.publicKey, suite: suite, info: request.followingInfo) { [1, 2, 3] }
        #expect(try sealing.open(sealed, with: key, info: request.followingInfo) == [1, 2, 3])
        for info in [request.info, other.followingInfo] {
            #expect(throws: SharingError(.cannotOpen, "")) { try sealing.open(sealed, with: key, info: info) }
        }
    }

    @Test func everyByteOfAFollowRequestCounts() throws {
        let key = try HPKESealing().makeKey(suite: .x25519)
        let bytes = try Pair().followRequest(publicKey: key.publicKey).bytes
        _ = try Signed<Request>(bytes: bytes).verified()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: SharingError.self, "byte \(index)") { try Signed<Request>(bytes: changed).verified() }
        }
        for count in 0..<bytes.count {
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Request>(bytes: Array(bytes.prefix(count))) }
        }
    }
}
