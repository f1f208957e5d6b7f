internal import Foundation

/// Reads the file of a key or a certificate.
enum CredentialFile {
    /// - Parameters:
    ///   - path: the file.
    ///   - remedy: what to do when the file cannot be read, for the error text.
    /// - Returns: the file's content.
    /// - Throws: ``APNSError`` naming the file, the cause and the remedy.
    static func bytes(_ path: String, remedy: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            // Foundation has no message for some errors, such as a path that is a directory.
            let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code
            let cause = code.map { unsafe String(cString: strerror($0.rawValue)) } ?? error.localizedDescription
            throw APNSError(.badConfiguration, "\(path): cannot be read (\(cause)); \(remedy)", .changeConfiguration)
        }
    }
}
