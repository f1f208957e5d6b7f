internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The sealed positions of an incident: the patient's for one phone, and that of a person who comes for the dispatcher.
package enum SealedPlace {
    /// The size of a patient's place before it is sealed, so that its length reveals nothing.
    package static let patientByteCount = 256
    /// The size of a responder's position before it is sealed.
    package static let responderByteCount = 64

    private static func info(_ label: String, _ alert: AlertID, _ incident: IncidentID) -> [UInt8] {
        Array(label.utf8) + [0] + alert.bytes + incident.bytes
    }

    private static func patientInfo(_ alert: AlertID, _ incident: IncidentID) -> [UInt8] {
        self.info("whereabouts/alert-position/v1", alert, incident)
    }

    private static func responderInfo(_ alert: AlertID, _ incident: IncidentID) -> [UInt8] {
        self.info("whereabouts/responder-position/v1", alert, incident)
    }

    /// Seals the patient's place to the key of a chosen volunteer's phone.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key.
    package static func seal(
        _ place: PatientPlace,
        for alert: AlertID,
        of incident: IncidentID,
        to key: [UInt8],
        _ sealing: any Sealing
    ) throws -> [UInt8] {
        try sealing.seal(to: key, suite: SealedPush.suite, info: self.patientInfo(alert, incident)) {
            place.paddedBytes
        }
    }

    /// Opens the patient's place on the phone.
    ///
    /// - Throws: ``SharingError`` when it was sealed to another key or for another alert, or is malformed.
    package static func open(_ alert: SealedAlert, with key: RequestKey, _ sealing: any Sealing) throws -> PatientPlace
    {
        let info = self.patientInfo(alert.alert, alert.incident)
        return try PatientPlace(paddedBytes: sealing.open(alert.sealed, with: key, info: info))
    }

    /// Seals the position of a person who comes to the incident's key.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key.
    package static func seal(_ fix: SharedFix, for alert: EmergencyAlert, _ sealing: any Sealing) throws -> [UInt8] {
        let info = self.responderInfo(alert.id, alert.incident)
        return try sealing.seal(to: alert.publicKey, suite: alert.suite, info: info) {
            var writer = ByteWriter()
            fix.write(to: &writer)
            return writer.bytes + Array(repeating: 0, count: self.responderByteCount - writer.bytes.count)
        }
    }

    /// Opens the position of a person who comes.
    ///
    /// - Throws: ``SharingError`` when it was sealed to another key or for another alert, or is malformed.
    package static func open(
        _ sealed: [UInt8],
        of alert: AlertID,
        _ incident: IncidentID,
        with key: RequestKey,
        _ sealing: any Sealing
    ) throws -> SharedFix {
        let bytes = try sealing.open(sealed, with: key, info: self.responderInfo(alert, incident))
        var reader = ByteReader(bytes, name: "the position of a responder")
        let fix = try SharedFix(from: &reader)
        guard bytes.count == self.responderByteCount else { throw reader.error("expected 64 bytes") }
        try reader.zeros()
        return fix
    }
}

extension PatientPlace {
    /// The place as ``SealedPlace/patientByteCount`` bytes.
    var paddedBytes: [UInt8] {
        var writer = ByteWriter()
        self.write(to: &writer)
        return writer.bytes + Array(repeating: 0, count: SealedPlace.patientByteCount - writer.bytes.count)
    }

    /// Reads ``paddedBytes``.
    init(paddedBytes: [UInt8]) throws {
        var reader = ByteReader(paddedBytes, name: "the place of the patient")
        try self.init(from: &reader)
        guard paddedBytes.count == SealedPlace.patientByteCount else { throw reader.error("expected 256 bytes") }
        try reader.zeros()
    }

    /// The patient, the defibrillator, the note.
    func write(to writer: inout ByteWriter) {
        self.point.write(to: &writer)
        writer.integer(UInt8(self.defibrillator == nil ? 0 : 1))
        (self.defibrillator ?? QuantizedCoordinate(latitude: 0, longitude: 0)).write(to: &writer)
        writer.counted(Array(self.note.utf8))
    }

    /// Reads the form of ``write(to:)``.
    init(from reader: inout ByteReader) throws {
        let point = try QuantizedCoordinate(from: &reader)
        let hasDefibrillator = try reader.flag()
        let defibrillator = try QuantizedCoordinate(from: &reader)
        guard hasDefibrillator || defibrillator == QuantizedCoordinate(latitude: 0, longitude: 0) else {
            throw reader.error("the place has the position of a defibrillator, but not its mark")
        }
        guard let note = String(validating: try reader.counted(), as: UTF8.self),
            let place = PatientPlace(point: point, defibrillator: hasDefibrillator ? defibrillator : nil, note: note)
        else { throw reader.error("the note is too long, or not plain text") }
        self = place
    }
}

extension QuantizedCoordinate {
    /// The latitude and the longitude in 1e-7 degrees.
    fileprivate func write(to writer: inout ByteWriter) {
        writer.integer(self.latitude)
        writer.integer(self.longitude)
    }

    /// Reads the form of ``write(to:)``.
    fileprivate init(from reader: inout ByteReader) throws {
        let (latitude, longitude) = (Int(try reader.integer(Int32.self)), Int(try reader.integer(Int32.self)))
        guard abs(latitude) <= 900_000_000, (-1_800_000_000..<1_800_000_000).contains(longitude) else {
            throw reader.error("the point is not on the Earth")
        }
        self.init(latitude: latitude, longitude: longitude)
    }
}
