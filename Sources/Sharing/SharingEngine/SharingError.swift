internal import WhereaboutsVocabulary

/// An error of the sharing protocol; the message names the input, the rule and the remedy.
///
/// Two errors are equal when their codes are.
public struct SharingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error; later versions may add kinds.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: Sendable, Hashable {
            case badText, badBytes, badSignature, badProfile, noProfile, unknownName, badPush, badFix, notForUs,
                replayed, cannotOpen, network, refused, lastDevice
        }

        private let value: Value

        /// The name of the kind, such as `badText`, for logs and metric labels.
        public var description: String { "\(self.value)" }

        private init(_ value: Value) {
            self.value = value
        }

        /// A text form (identity, grant, duration, address) is malformed.
        public static let badText = Code(.badText)
        /// A message does not have the protocol's encoding.
        public static let badBytes = Code(.badBytes)
        /// A signature is not valid.
        public static let badSignature = Code(.badSignature)
        /// A file of the sharing profile is missing, damaged or readable by others.
        public static let badProfile = Code(.badProfile)
        /// There is no profile at this path.
        public static let noProfile = Code(.noProfile)
        /// The profile has no person, grant, group or schedule of this name.
        public static let unknownName = Code(.unknownName)
        /// A push payload carries no request.
        public static let badPush = Code(.badPush)
        /// A fix has a value outside its range.
        public static let badFix = Code(.badFix)
        /// The grant belongs to another sharer or requester.
        public static let notForUs = Code(.notForUs)
        /// This device has seen the request before.
        public static let replayed = Code(.replayed)
        /// An answer could not be opened.
        public static let cannotOpen = Code(.cannotOpen)
        /// The server could not be reached or did not answer in time.
        public static let network = Code(.network)
        /// The server refused.
        public static let refused = Code(.refused)
        /// Removing the last device makes all requests to the person fail, and the person did not confirm it.
        public static let lastDevice = Code(.lastDevice)
    }

    /// The kind of the error.
    public let code: Code
    /// The error as a sentence for a person.
    ///
    /// The message may quote text from others, without control characters for terminals.
    public let message: String

    /// The maximum number of bytes of a message, which may quote a server.
    package static let messageBytesMax = 2048

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = PlainText.of(message, bytesMax: Self.messageBytesMax)
    }

    /// The message.
    public var description: String { self.message }

    /// Compares the codes.
    public static func == (lhs: SharingError, rhs: SharingError) -> Bool {
        lhs.code == rhs.code
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
    }
}
