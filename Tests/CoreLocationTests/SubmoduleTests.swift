// Written as for Apple's platforms, where each header of the framework is a module of its own.
import CoreLocation.CLError
import CoreLocation.CLLocation
import CoreLocation.CLLocationManagerDelegate
import Testing

@Suite struct SubmoduleTests {
    private final class Delegate: NSObject, CLLocationManagerDelegate {}

    @Test func aSubmoduleBringsWhatTheModuleHas() {
        #expect(CLLocation(latitude: 1, longitude: 2).coordinate.longitude == 2)
        #expect(CLError(.denied).code == .denied)
        #expect(Delegate().isEqual(nil) == false)
    }
}
