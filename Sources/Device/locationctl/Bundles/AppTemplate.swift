internal import Foundation

/// The files that `locationctl new` writes, as in Xcode's templates for an app and a location push service extension.
struct AppTemplate {
    let name: String
    let bundle: String
    let whereabouts: String

    /// Path and content of each file.
    var files: [(String, String)] {
        [
            ("Package.swift", self.package),
            ("Sources/\(self.name)/\(self.name)App.swift", self.app),
            ("Sources/\(self.name)/Info.plist", self.appInfo),
            ("Sources/\(self.name)LocationPush/LocationPushService.swift", self.service),
            ("Sources/\(self.name)LocationPush/main.swift", self.entryPoint),
            ("Sources/\(self.name)LocationPush/Info.plist", self.extensionInfo),
            ("Sources/\(self.name)LocationPush/Entitlements.plist", self.entitlements),
        ]
    }

    private var package: String {
        let isFolder = FileManager.default.fileExists(atPath: self.whereabouts + "/Package.swift")
        let place = URL(fileURLWithPath: self.whereabouts).standardizedFileURL
        let dependency =
            isFolder
            ? ".package(path: \"\(place.path)\", traits: [])"
            : ".package(url: \"\(self.whereabouts)\", branch: \"main\", traits: [])"
        let identity = place.lastPathComponent.replacingOccurrences(of: ".git", with: "")
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let coreLocation = Target.Dependency.product(
                name: "CoreLocation", package: "\(identity)", condition: .when(platforms: [.linux]))

            let package = Package(
                name: "\(self.name)",
                platforms: [.macOS(.v15)],
                dependencies: [\(dependency)],
                targets: [
                    .executableTarget(name: "\(self.name)", dependencies: [coreLocation], exclude: ["Info.plist"]),
                    .executableTarget(
                        name: "\(self.name)LocationPush", dependencies: [coreLocation],
                        exclude: ["Info.plist", "Entitlements.plist"]),
                ]
            )

            """
    }

    private var app: String {
        """
        import CoreLocation

        @main
        @MainActor
        struct \(self.name)App {
            static func main() async throws {
                // Held for as long as the app shares the location; asks the person when that is possible.
                let session = CLServiceSession(authorization: .always)
                for try await diagnostic in session.diagnostics {
                    if diagnostic.authorizationRequestInProgress {
                        show("waiting for permission")
                    } else if diagnostic.authorizationDenied || diagnostic.alwaysAuthorizationDenied {
                        show("sharing is paused: Always was not granted")
                    } else if !diagnostic.insufficientlyInUse {
                        await monitorPushes()
                    }
                }
            }

            /// Continues until there is a token: the end of the app would end its session, and no push would arrive.
            static func monitorPushes() async {
                while !Task.isCancelled {
                    do {
                        let token = try await CLLocationManager().startMonitoringLocationPushes()
                        // Send the token to your server, which sends location pushes to it.
                        return show("a location push token of \\(token.count) bytes is here")
                    } catch {
                        show("no location push token yet, trying again: \\(error.localizedDescription)")
                        try? await Task.sleep(for: .seconds(30))
                    }
                }
            }

            static func show(_ line: String) {
                FileHandle.standardOutput.write(Data("\\(line)\\n".utf8))
            }
        }

        """
    }

    private var service: String {
        """
        import CoreLocation

        class LocationPushService: NSObject, CLLocationPushServiceExtension {

            func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
                let session = CLServiceSession(authorization: .always)
                defer { session.invalidate() }
                do {
                    for try await update in CLLocationUpdate.liveUpdates() {
                        if let location = update.location {
                            // Seal the location and send it to the requester.
                            print("located, accurate to \\(location.horizontalAccuracy) m")
                            return
                        }
                    }
                } catch {
                    print("no location: \\(error.localizedDescription)")
                }
            }

            func serviceExtensionWillTerminate() {
                // Called just before the extension is terminated by the system.
            }

        }

        """
    }

    private var entryPoint: String {
        """
        // On Linux the class of Xcode's template is passed here, unchanged.
        LocationPushService.run { LocationPushService() }

        """
    }

    private var appInfo: String {
        Self.propertyList(
            """
                <key>CFBundleIdentifier</key>
                <string>\(self.bundle)</string>
                <key>CFBundleName</key>
                <string>\(self.name)</string>
                <key>CFBundleExecutable</key>
                <string>\(self.name)</string>
                <key>NSLocationWhenInUseUsageDescription</key>
                <string>Shows where you are while you use \(self.name).</string>
                <key>NSLocationAlwaysAndWhenInUseUsageDescription</key>
                <string>Lets the people you approve ask where you are, also while \(self.name) is closed.</string>
                <key>UIBackgroundModes</key>
                <array>
                    <string>location</string>
                </array>
            """
        )
    }

    private var extensionInfo: String {
        Self.propertyList(
            """
                <key>CFBundleIdentifier</key>
                <string>\(self.bundle).LocationPush</string>
                <key>CFBundleName</key>
                <string>\(self.name)LocationPush</string>
                <key>CFBundleExecutable</key>
                <string>\(self.name)LocationPush</string>
                <key>NSExtension</key>
                <dict>
                    <key>NSExtensionPointIdentifier</key>
                    <string>com.apple.location.push.service</string>
                    <key>NSExtensionPrincipalClass</key>
                    <string>LocationPushService</string>
                </dict>
            """
        )
    }

    private var entitlements: String {
        Self.propertyList(
            """
                <key>com.apple.developer.location.push</key>
                <true/>
                <key>aps-environment</key>
                <string>production</string>
            """
        )
    }

    private static func propertyList(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(content)
        </dict>
        </plist>

        """
    }
}
