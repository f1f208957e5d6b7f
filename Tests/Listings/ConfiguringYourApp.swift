// The listings of "Configuring your app to use location services", as they are.
import CoreLocation

func checkHeading(_ locationManager: CLLocationManager, disableCompassFeatures: () -> Void) {
    // Check if heading data is available.
    if CLLocationManager.headingAvailable() {
        locationManager.startUpdatingHeading()
    } else {
        // Disable compass features.
        disableCompassFeatures()
    }
}

func iterateOverTheStream(_ process: (String) -> Void) async throws {
    // Obtain an asynchronous stream of updates.
    let stream = CLLocationUpdate.liveUpdates()

    // Iterate over the stream and handle incoming updates.
    for try await update in stream {
        if update.location != nil {
            // Process the location.
            process("location")
        } else if update.authorizationDenied {
            // Process the authorization denied state change.
            process("denied")
        } else {
            // Process other state changes.
            process("other")
        }
    }
}
