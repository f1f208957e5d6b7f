public import Foundation

/// Reads JSON from untrusted writers.
///
/// Foundation's decoder ends the process if the last byte of a text opens the 513th nested array or object (found by
/// our fuzzer, with Foundation of Swift 6.3). An attacker's provider token could thus have ended the gateway. This
/// reader refuses such texts before it decodes them; our own messages are far less nested.
public struct JSONReader: Sendable {
    /// The deepest nesting of arrays and objects; our own data has at most five.
    public static let depthMax = 64

    private let dates: JSONDecoder.DateDecodingStrategy

    /// Creates a reader.
    ///
    /// - Parameter dates: the format of dates.
    public init(dates: JSONDecoder.DateDecodingStrategy = .deferredToDate) {
        self.dates = dates
    }

    /// Reads a value.
    ///
    /// - Returns: the value.
    /// - Throws: `DecodingError` when the text is not JSON, is nested too deeply, or contains another type of value.
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

    /// The maximum number of arrays and objects that are open at the same time; the text need not be valid JSON.
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
