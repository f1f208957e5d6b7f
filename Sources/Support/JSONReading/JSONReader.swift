public import Foundation

/// Reads JSON from untrusted writers.
///
/// Foundation's decoder ends the process on a text whose last byte opens the 513th array or object inside one another (found by our
/// fuzzer, with Foundation of Swift 6.3): a stranger's provider token would have ended the gateway. A text that is nested deeper than
/// any of our messages is refused before it is decoded.
public struct JSONReader: Sendable {
    /// The deepest nesting of arrays and objects; our own data has at most five.
    public static let depthMax = 64

    private let dates: JSONDecoder.DateDecodingStrategy

    /// Creates a reader.
    ///
    /// - Parameter dates: how dates are written.
    public init(dates: JSONDecoder.DateDecodingStrategy = .deferredToDate) {
        self.dates = dates
    }

    /// Reads a value.
    ///
    /// - Returns: the value.
    /// - Throws: `DecodingError` when the text is no JSON, is nested too deep, or holds another value.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard Self.depth(of: data) <= Self.depthMax else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "more than \(Self.depthMax) arrays and objects inside one another"
                )
            )
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = self.dates
        return try decoder.decode(type, from: data)
    }

    /// The most arrays and objects that are open at a time, in a text that need not be JSON.
    private static func depth(of data: Data) -> Int {
        var (depth, most, isString, isEscaped) = (0, 0, false, false)
        for byte in data {
            switch (byte, isString) {
            case _ where isEscaped: isEscaped = false
            case (UInt8(ascii: "\\"), true): isEscaped = true
            case (UInt8(ascii: "\""), _): isString.toggle()
            case (_, true): break
            case (UInt8(ascii: "["), false), (UInt8(ascii: "{"), false):
                depth += 1
                most = max(most, depth)
            case (UInt8(ascii: "]"), false), (UInt8(ascii: "}"), false): depth -= 1
            default: break
            }
        }
        return most
    }
}
