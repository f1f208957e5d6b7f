/// One element of a client's stream: a measurement, reasons, or both; at least one of them (ADR 0009).
public struct Update: Sendable, Hashable {
    /// Something a sensor measured.
    public enum Element: Sendable, Hashable {
        case fix(Fix)
        case heading(Heading)
        case visit(Visit)
        case beacons(BeaconSurvey)
    }

    /// The measurement; nil with the reason in ``diagnostics``.
    public let element: Element?
    /// The facts about the measurement, or the reasons for none; empty for a plain measurement.
    public let diagnostics: UpdateDiagnostics

    /// The position, if the update has one.
    public var fix: Fix? {
        switch self.element {
        case .fix(let fix): fix
        case .heading, .visit, .beacons, nil: nil
        }
    }

    /// Whether the update reveals where the device is or was.
    public var tellsPlace: Bool {
        switch self.element {
        // A beacon that does not move reveals the device's place.
        case .fix, .visit, .beacons: true
        case .heading, nil: false
        }
    }

    /// Creates an element with a measurement.
    public static func measured(_ element: Element, _ diagnostics: UpdateDiagnostics = []) -> Update {
        Update(element: element, diagnostics: diagnostics)
    }

    /// Creates an element with a position.
    public static func fix(_ fix: Fix, _ diagnostics: UpdateDiagnostics = []) -> Update {
        .measured(.fix(fix), diagnostics)
    }

    /// Creates an element without a measurement.
    ///
    /// - Parameter diagnostics: why; not empty.
    /// - Returns: the element.
    public static func unavailable(_ diagnostics: UpdateDiagnostics) -> Update {
        precondition(!diagnostics.isEmpty, "an update without a position must say why")
        return Update(element: nil, diagnostics: diagnostics)
    }
}
