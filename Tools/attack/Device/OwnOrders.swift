/// An app that gives orders in the owner's place: it granted itself Always.
enum OwnOrders: Attack {
    typealias Scene = DeviceScene

    static let name = "own-orders"
    static let row = "to give orders, or answer prompts, in the owner's name"
    static let attempt = "as an app, order Always for itself at the control socket, and answer prompts at the agents'"

    static func strike(_ scene: DeviceScene, _ bounds: Bounds) async throws -> String {
        "\(try await scene.runApp(.orders, bounds)) orders"
    }
}
