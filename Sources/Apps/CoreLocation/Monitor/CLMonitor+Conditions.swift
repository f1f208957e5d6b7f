public import Foundation

extension CLMonitor {
    /// To be within a circle on the ground.
    public struct CircularGeographicCondition: CLCondition {
        /// The circle's middle.
        public let center: CLLocationCoordinate2D
        /// The circle's radius in metres.
        public let radius: CLLocationDistance

        /// Creates a condition.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }

        // Apple does not document the names of the keys.
        private enum CodingKeys: CodingKey {
            case latitude, longitude, radius
        }

        /// Reads a condition.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                center: CLLocationCoordinate2D(
                    latitude: try values.decode(Double.self, forKey: .latitude),
                    longitude: try values.decode(Double.self, forKey: .longitude)
                ),
                radius: try values.decode(Double.self, forKey: .radius)
            )
        }

        /// Writes the condition.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(self.center.latitude, forKey: .latitude)
            try values.encode(self.center.longitude, forKey: .longitude)
            try values.encode(self.radius, forKey: .radius)
        }
    }

    /// To be near a beacon.
    public struct BeaconIdentityCondition: CLCondition {
        /// The beacon's identity.
        public let uuid: UUID
        /// The first of its numbers; nil: any.
        public let major: UInt16?
        /// The second of its numbers; nil: any.
        public let minor: UInt16?

        /// Creates a condition that any beacon of an identity satisfies.
        public init(uuid: UUID) {
            self.init(uuid, nil, nil)
        }

        /// Creates a condition that beacons of an identity and a first number satisfy.
        public init(uuid: UUID, major: UInt16) {
            self.init(uuid, major, nil)
        }

        /// Creates a condition that one beacon satisfies.
        public init(uuid: UUID, major: UInt16, minor: UInt16) {
            self.init(uuid, major, minor)
        }

        init(_ identity: BeaconIdentity) {
            self.init(identity.uuid, identity.major, identity.minor)
        }

        private init(_ uuid: UUID, _ major: UInt16?, _ minor: UInt16?) {
            self.uuid = uuid
            self.major = major
            self.minor = minor
        }

        private enum CodingKeys: CodingKey {
            case uuid, major, minor
        }

        /// Reads a condition.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try values.decode(UUID.self, forKey: .uuid),
                try values.decodeIfPresent(UInt16.self, forKey: .major),
                try values.decodeIfPresent(UInt16.self, forKey: .minor)
            )
        }

        /// Writes the condition.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(self.uuid, forKey: .uuid)
            try values.encodeIfPresent(self.major, forKey: .major)
            try values.encodeIfPresent(self.minor, forKey: .minor)
        }
    }
}
