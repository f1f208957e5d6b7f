internal import Foundation
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// A region as a value, which can cross threads.
struct RegionFields: Sendable, Hashable {
    private static let entry = UInt32(WireBits.Notice.entry)
    private static let exit = UInt32(WireBits.Notice.exit)
    private static let display = UInt32(WireBits.Notice.display)

    let identifier: String
    let condition: any CLCondition
    let notices: UInt32

    /// Reads a region; nil for anything but a circle or a beacon region.
    init?(_ region: CLRegion) {
        var notifiesOnDisplay = false
        switch region {
        case let circle as CLCircularRegion:
            self.condition = CLMonitor.CircularGeographicCondition(center: circle.center, radius: circle.radius)
        case let beacons as CLBeaconRegion:
            self.condition = CLMonitor.BeaconIdentityCondition(beacons.identity)
            notifiesOnDisplay = beacons.notifyEntryStateOnDisplay
        default: return nil
        }
        self.identifier = region.identifier
        self.notices =
            (region.notifyOnEntry ? Self.entry : 0) | (region.notifyOnExit ? Self.exit : 0)
            | (notifiesOnDisplay ? Self.display : 0)
    }

    /// Reads a region that the device stores; nil for a kind of a later version.
    init?(_ record: WireConditionRecord) {
        guard let condition = record.watched else { return nil }
        self.identifier = record.identifier
        self.condition = condition
        self.notices = record.notices
    }

    /// A region with the same values as the app's region.
    var region: CLRegion {
        let region: CLRegion
        switch self.condition {
        case let circle as CLMonitor.CircularGeographicCondition:
            region = CLCircularRegion(center: circle.center, radius: circle.radius, identifier: self.identifier)
        case let beacon as CLMonitor.BeaconIdentityCondition:
            let beacons = CLBeaconRegion(BeaconIdentity(beacon), identifier: self.identifier)
            beacons.notifyEntryStateOnDisplay = self.notices & Self.display != 0
            region = beacons
        // The initializers accept only the two kinds above.
        default: region = CLRegion(identifier: self.identifier)
        }
        region.notifyOnEntry = self.notices & Self.entry != 0
        region.notifyOnExit = self.notices & Self.exit != 0
        return region
    }

    static func == (lhs: RegionFields, rhs: RegionFields) -> Bool { lhs.identifier == rhs.identifier }

    func hash(into hasher: inout Hasher) { hasher.combine(self.identifier) }
}
