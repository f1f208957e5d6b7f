/// An app with hundreds of long titles: they cut the owner's agents off, so that no prompts or indicators were shown.
enum EndlessTitles: Attack {
    typealias Scene = DeviceScene

    static let name = "endless-titles"
    static let row = "to blind agents and the owner with long names, titles and purposes"
    static let attempt = "as an app, declare 255 long titles and purposes of 60,000 accents again and again"

    static func strike(_ scene: DeviceScene, _ bounds: Bounds) async throws -> String {
        "\(try await scene.runApp(.titles, bounds)) declarations"
    }
}
