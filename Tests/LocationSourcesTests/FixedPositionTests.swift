internal import Testing
internal import WhereaboutsLocationSources

/// Tests for a fixed position given as text.
@Suite struct FixedPositionTests {
    @Test(arguments: [
        ("53.5451,9.9672,30", 53.5451, 9.9672, 30.0), ("-33.86, 151.21", -33.86, 151.21, FixedPosition.defaultAccuracy),
        ("90,-180,1", 90, -180, 1),
    ])
    func degreesAndMetresAreRead(_ text: String, _ latitude: Double, _ longitude: Double, _ accuracy: Double) throws {
        let fix = try #require(FixedPosition(text)).fix
        #expect(fix.latitude == latitude && fix.longitude == longitude && fix.horizontalAccuracy == accuracy)
        #expect(fix.isEstimate && fix.speed == 0 && fix.time == nil)
    }

    @Test(arguments: [
        "", "53.5", "53.5,", "90.1,0", "0,180.1", "0,0,0", "0,0,10001", "0,0,5,5", "nan,0", "0,inf", "53,5;9,9", "a,b",
    ])
    func everythingElseIsRefused(_ text: String) {
        #expect(FixedPosition(text) == nil)
    }
}
