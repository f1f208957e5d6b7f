/// A question of an app's geocoder; equal questions have equal answers.
public struct GeocodeQuestion: Sendable, Hashable {
    /// A circle on the Earth.
    public struct Circle: Sendable, Hashable {
        /// The centre's latitude in 1e-7 degree, -90°…90°.
        public var latitude: Int32
        /// The centre's longitude in 1e-7 degree, -180°…180°.
        public var longitude: Int32
        /// The radius in metres, more than zero.
        public var radius: Double

        /// Creates a circle.
        public init(latitude: Int32, longitude: Int32, radius: Double) {
            self.latitude = latitude
            self.longitude = longitude
            self.radius = radius
        }
    }

    /// The address or place that is looked up.
    public enum Subject: Sendable, Hashable {
        /// The places at an address, preferably near a circle.
        case address(String, near: Circle?)
        /// The address of a place, in 1e-7 degree.
        case place(latitude: Int32, longitude: Int32)
    }

    /// The longest address, in bytes of UTF-8; postal addresses are far shorter.
    public static let addressBytesMax = 1024

    /// The address or place that is looked up.
    public var subject: Subject
    /// In the form of Accept-Language, at most 256 characters.
    public var languages: String

    /// Reads an app's question.
    ///
    /// - Returns: nil when the question cannot have an answer: an empty or too long address, a place that is not on Earth.
    public init?(_ subject: Subject, languages: String) {
        // A header must not hold line breaks; languages are letters, digits and a few signs.
        let plain = languages.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-,;=.* ".contains($0)) }
        self.languages = String(plain.prefix(256))
        switch subject {
        case .address(let address, let near):
            let trimmed = address.trimmed
            guard !trimmed.isEmpty, trimmed.utf8.count <= Self.addressBytesMax else { return nil }
            self.subject = .address(trimmed, near: near.flatMap { Self.isUsable($0) ? $0 : nil })
        case .place(let latitude, let longitude):
            guard Self.isOnEarth(latitude, longitude) else { return nil }
            self.subject = subject
        }
    }

    private static func isOnEarth(_ latitude: Int32, _ longitude: Int32) -> Bool {
        latitude.magnitude <= 900_000_000 && longitude.magnitude <= 1_800_000_000
    }

    /// A circle is only a preference, so an invalid one is left out.
    private static func isUsable(_ circle: Circle) -> Bool {
        self.isOnEarth(circle.latitude, circle.longitude) && circle.radius > 0 && circle.radius.isFinite
    }
}

extension String {
    fileprivate var trimmed: String {
        let front = self.drop(while: \.isWhitespace)
        return String(front.reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// An answer of a geocoding server.
public enum GeocodeAnswer: Sendable, Hashable {
    /// The places, in the wire's encoding, which the core only stores.
    case places([UInt8])
    /// There is no such place.
    case noResult
    /// The server could not be reached, with the reason as text.
    case unreachable(String)
}

/// The reply to an app's geocoder.
public enum GeocodeResult: Sendable, Hashable {
    /// The server's answer, or an earlier one.
    case answer(GeocodeAnswer)
    /// The device knows no geocoding server.
    case noServer
    /// The app asked too often.
    case tooOften
}

/// The number of a question that the server is being asked.
public struct LookUpID: Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// Creates a number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
