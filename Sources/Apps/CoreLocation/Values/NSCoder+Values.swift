internal import Foundation

/// Archives the values of this module: numbers, texts and objects, each under a key.
///
/// Numbers are not archived as objects. When a damaged archive has an object of another class, Foundation on Linux ends
/// the process (`NSKeyedUnarchiver._isClassAllowed`); it reads a number of another kind as 0.
extension NSCoder {
    func write(_ number: Double, _ key: String) {
        self.encode(number, forKey: key)
    }

    func write(_ text: String?, _ key: String) {
        if let text { self.encode(text as NSString, forKey: key) }
    }

    func write(_ date: Date, _ key: String) {
        self.write(date.timeIntervalSinceReferenceDate, key)
    }

    func write(_ coordinate: CLLocationCoordinate2D) {
        self.write(coordinate.latitude, "latitude")
        self.write(coordinate.longitude, "longitude")
    }

    /// Reads the values for an `init?(coder:)`; on failure, reports an error to the coder and returns nil.
    func read<Value>(_ body: (NSCoder) throws -> Value) -> Value? {
        do {
            return try body(self)
        } catch {
            if self.error == nil { self.failWithError(error) }
            return nil
        }
    }

    func number(_ key: String) throws -> Double {
        guard self.containsValue(forKey: key) else { throw Self.corrupt(key, "is missing") }
        return self.decodeDouble(forKey: key)
    }

    /// An integer; throws if it does not fit into the type.
    func integer<Integer: FixedWidthInteger>(_ key: String) throws -> Integer {
        guard let integer = Integer(exactly: try self.number(key)) else {
            throw Self.corrupt(key, "is not a number that fits into \(Integer.self)")
        }
        return integer
    }

    func text(_ key: String) throws -> String {
        String(describing: try self.object(NSString.self, key))
    }

    func date(_ key: String) throws -> Date {
        Date(timeIntervalSinceReferenceDate: try self.number(key))
    }

    func coordinate() throws -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: try self.number("latitude"), longitude: try self.number("longitude"))
    }

    func object<Object: NSObject & NSCoding>(_: Object.Type, _ key: String) throws -> Object {
        guard let object = self.decodeObject(of: Object.self, forKey: key) else {
            throw Self.corrupt(key, "is missing, or not of class \(Object.self)")
        }
        return object
    }

    /// An optional value: nil if it is missing; throws if it is present and invalid.
    func ifPresent<Value>(_ key: String, _ read: (String) throws -> Value) throws -> Value? {
        self.containsValue(forKey: key) ? try read(key) : nil
    }

    private static func corrupt(_ key: String, _ what: String) -> CocoaError {
        CocoaError(.coderReadCorrupt, userInfo: ["NSDebugDescription": "The archive's value '\(key)' \(what)."])
    }
}
