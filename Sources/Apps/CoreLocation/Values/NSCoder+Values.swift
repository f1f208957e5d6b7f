internal import Foundation

/// How the values of this module are archived: numbers, texts and objects, each under its name.
///
/// Numbers are written as they are, not as objects: Foundation on Linux ends the process when a damaged archive has an
/// object of another class (`NSKeyedUnarchiver._isClassAllowed`), and reads a number of another kind as 0.
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

    /// Reads the values of an `init?(coder:)`; nil after reporting an error to the coder.
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

    /// A whole number that a type can hold.
    func integer<Integer: FixedWidthInteger>(_ key: String) throws -> Integer {
        guard let integer = Integer(exactly: try self.number(key)) else {
            throw Self.corrupt(key, "is no number that \(Integer.self) holds")
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

    /// A value that need not be there, but must be right when it is.
    func ifPresent<Value>(_ key: String, _ read: (String) throws -> Value) throws -> Value? {
        self.containsValue(forKey: key) ? try read(key) : nil
    }

    private static func corrupt(_ key: String, _ what: String) -> CocoaError {
        CocoaError(.coderReadCorrupt, userInfo: ["NSDebugDescription": "The archive's value '\(key)' \(what)."])
    }
}
