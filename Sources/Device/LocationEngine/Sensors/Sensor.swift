/// A part of the device that measures.
public enum Sensor: Sendable, Hashable, CaseIterable {
    case receiver
    case compass
    case scanner

    /// Whether apps assume that the device has the sensor; other sensors exist once they have measured.
    public var isAssumed: Bool {
        switch self {
        case .receiver: true
        case .compass, .scanner: false
        }
    }

    /// The reason that streams receive while the sensor has no measurement.
    var unavailable: UpdateDiagnostics {
        switch self {
        case .receiver: .locationUnavailable
        case .compass: .headingUnavailable
        case .scanner: .rangingUnavailable
        }
    }
}

/// A report of a sensor.
public enum SensorReport: Sendable, Hashable {
    /// The sensor measured something; the time in it is the sensor's.
    case measured(Update.Element)
    /// The scanner listens, and received a beacon; nil: no beacon since its last report.
    case scanned(Advertisement?)
    /// The sensor can be reached and searches.
    case ready(Sensor)
    /// The sensor is gone, or has no measurement.
    case lost(Sensor)

    /// Whether the report is a frequent one.
    public var isMeasurement: Bool {
        switch self {
        case .measured, .scanned: true
        case .ready, .lost: false
        }
    }

    /// The receiver measured a position.
    public static func fix(_ fix: Fix) -> SensorReport { .measured(.fix(fix)) }
    /// The compass measured a heading.
    public static func heading(_ heading: Heading) -> SensorReport { .measured(.heading(heading)) }
}

/// A value for each sensor.
public struct PerSensor<Value> {
    private var receiver: Value
    private var compass: Value
    private var scanner: Value

    /// Creates the values.
    public init(_ value: (Sensor) -> Value) {
        self.receiver = value(.receiver)
        self.compass = value(.compass)
        self.scanner = value(.scanner)
    }

    /// The value of a sensor.
    ///
    /// Inlined, because the coroutine would otherwise allocate its frame on the heap for each stream that receives a fix.
    public subscript(sensor: Sensor) -> Value {
        @inline(__always) get {
            switch sensor {
            case .receiver: self.receiver
            case .compass: self.compass
            case .scanner: self.scanner
            }
        }
        @inline(__always) _modify {
            switch sensor {
            case .receiver: yield &self.receiver
            case .compass: yield &self.compass
            case .scanner: yield &self.scanner
            }
        }
    }
}

extension PerSensor: Equatable where Value: Equatable {}
extension PerSensor: Hashable where Value: Hashable {}
extension PerSensor: Sendable where Value: Sendable {}
