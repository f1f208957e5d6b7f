public import Foundation

extension JSONReader {
    /// An open object or array; the elements of an array have no names.
    private struct Frame {
        var isObject: Bool
        var names: Set<String> = []
        /// The name of the current value.
        var name: String?
        /// Whether the next string is the name of an object's member.
        var isNameDue: Bool
    }

    /// Finds a name that appears twice in one object, because Foundation's decoder silently uses one of the two values.
    ///
    /// - Parameter data: JSON that was decoded successfully.
    /// - Returns: the first duplicate name, after the names of the objects around it, as in `apps.com.example.App`; nil: none.
    public static func doubleName(in data: Data) -> String? {
        var frames: [Frame] = []
        var bytes = data.startIndex
        while bytes < data.endIndex {
            let byte = data[bytes]
            let start = bytes
            bytes += 1
            switch byte {
            case UInt8(ascii: "{"): frames.append(Frame(isObject: true, isNameDue: true))
            case UInt8(ascii: "["): frames.append(Frame(isObject: false, isNameDue: false))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = frames.popLast()
            case UInt8(ascii: ","):
                if let top = frames.indices.last { frames[top].isNameDue = frames[top].isObject }
            case UInt8(ascii: "\""):
                bytes = self.end(ofTextFrom: bytes, in: data)
                guard let top = frames.indices.last, frames[top].isNameDue else { continue }
                let name = self.text(data[start..<bytes])
                guard frames[top].names.insert(name).inserted else {
                    return (frames.dropLast().compactMap(\.name) + [name]).joined(separator: ".")
                }
                (frames[top].name, frames[top].isNameDue) = (name, false)
            default: break
            }
        }
        return nil
    }

    /// Returns the index after the closing quotation mark of a string.
    private static func end(ofTextFrom start: Data.Index, in data: Data) -> Data.Index {
        var (index, isEscaped) = (start, false)
        while index < data.endIndex {
            let byte = data[index]
            index += 1
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                return index
            } else {
                isEscaped = byte == UInt8(ascii: "\\")
            }
        }
        return index
    }

    /// Decodes a quoted string and its escapes.
    private static func text(_ literal: Data) -> String {
        (try? JSONReader().decode([String].self, from: Data("[".utf8) + literal + Data("]".utf8)).first)
            ?? String(decoding: literal, as: UTF8.self)
    }
}
