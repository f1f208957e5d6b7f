internal import Glibc

/// An operation on the bus that failed.
package struct BusError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// Throws for a negative result, by which sd-bus reports an error.
    static func check(_ result: Int32, _ operation: String) throws(BusError) {
        if result < 0 { throw BusError("\(operation): \(unsafe String(cString: strerror(-result)))") }
    }
}
