package import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The place of a medical emergency, which only the alerted phones can open.
package struct PatientPlace: Sendable, Hashable {
    /// The longest ``note``, in bytes of UTF-8.
    ///
    /// Source: our choice; an address, a floor and a door code.
    package static let noteBytesMax = 160

    package let point: QuantizedCoordinate
    /// The nearest defibrillator, if the dispatcher knows one.
    package let defibrillator: QuantizedCoordinate?
    /// The dispatcher's words on the way to the patient, perhaps empty.
    package let note: String

    /// Creates a place; nil when the note is too long or contains control characters.
    package init?(point: QuantizedCoordinate, defibrillator: QuantizedCoordinate? = nil, note: String) {
        guard note.utf8.count <= Self.noteBytesMax, !note.containsControlCharacters else { return nil }
        self.point = point
        self.defibrillator = defibrillator
        self.note = note
    }

    /// Creates a place from degrees north and east.
    ///
    /// - Throws: ``SharingError`` when a point is not on the Earth, or the note is too long or contains control characters.
    package init(
        latitude: Double,
        longitude: Double,
        defibrillator: (latitude: Double, longitude: Double)? = nil,
        note: String
    ) throws(SharingError) {
        let point = try QuantizedCoordinate(latitude: latitude, longitude: longitude)
        var second: QuantizedCoordinate?
        if let defibrillator {
            second = try QuantizedCoordinate(latitude: defibrillator.latitude, longitude: defibrillator.longitude)
        }
        guard let place = PatientPlace(point: point, defibrillator: second, note: note) else {
            throw SharingError(
                .badText,
                "a note is a sentence of at most \(Self.noteBytesMax) bytes, without control characters"
            )
        }
        self = place
    }

    /// The place of the patient in degrees north and east.
    package var coordinates: (latitude: Double, longitude: Double) {
        (self.point.coordinate.latitude, self.point.coordinate.longitude)
    }

    /// The distance of a phone in a straight line, in whole metres.
    func metres(from fix: SharedFix) -> Int {
        guard let phone = GeodeticCoordinate(latitude: fix.latitude, longitude: fix.longitude) else { return .max }
        let path = Geodesic.inverse(from: QuantizedCoordinate(phone).coordinate, to: self.point.coordinate)
        return Int(path.distance.millimeters / 1000)
    }
}
