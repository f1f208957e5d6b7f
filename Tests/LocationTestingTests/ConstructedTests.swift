internal import CoreLocation
internal import WhereaboutsLocationTesting

/// Tests for values that tests may create, and that apps only receive.
@Suite struct ConstructedTests {
    @Test func anUpdateSaysWhatItWasMadeWith() {
        let flags: [(Constructed.UpdateDiagnostic, KeyPath<CLLocationUpdate, Bool>)] = [
            (.authorizationDenied, \.authorizationDenied),
            (.authorizationRequestInProgress, \.authorizationRequestInProgress),
            (.insufficientlyInUse, \.insufficientlyInUse), (.serviceSessionRequired, \.serviceSessionRequired),
            (.locationUnavailable, \.locationUnavailable),
            (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
            (.authorizationRestricted, \.authorizationRestricted), (.accuracyLimited, \.accuracyLimited),
            (.stationary, \.stationary),
        ]
        #expect(flags.count == Constructed.UpdateDiagnostic.allCases.count)
        for (made, _) in flags {
            let update = Constructed.update(nil, made)
            for (flag, path) in flags { #expect(update[keyPath: path] == (flag == made)) }
        }
        let location = CLLocation(latitude: 1, longitude: 2)
        #expect(Constructed.update(location).location === location)
    }

    @Test func theOthersToo() {
        let place = CLLocationCoordinate2D(latitude: 1, longitude: 2)
        #expect(Constructed.visit(at: place).coordinate.longitude == 2)
        #expect(Constructed.heading(magnetic: 90).magneticHeading == 90)
        #expect(Constructed.floor(-1).level == -1)
        #expect(Constructed.beacon(UUID(), major: 7).major == 7)
        #expect(Constructed.placemark(locality: "Hamburg").locality == "Hamburg")
    }
}
