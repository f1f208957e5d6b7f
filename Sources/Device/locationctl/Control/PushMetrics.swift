internal import WhereaboutsLocationWireMessages

/// The counters of location pushes in the text format of Prometheus
/// (https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).
struct PushMetrics {
    let text: String

    init(_ pushes: WirePushAccounts) {
        var lines = [
            "# HELP locationd_pushes_total Location pushes by app and by what became of them.",
            "# TYPE locationd_pushes_total counter",
        ]
        for app in pushes.apps {
            // A bundle identifier contains letters, digits, hyphens and dots, so nothing needs escaping.
            let counts = [
                ("received", app.received), ("handed", app.handed), ("completed", app.completed),
                ("abandoned", app.abandoned), ("replaced", app.replaced),
            ]
            lines += counts.map { "locationd_pushes_total{app=\"\(app.bundle)\",outcome=\"\($0)\"} \($1)" }
            lines += app.refused.map {
                let reason = $0.reason.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                return
                    "locationd_pushes_total{app=\"\(app.bundle)\",outcome=\"refused\",reason=\"\(reason)\"} \($0.count)"
            }
        }
        lines += [
            "# HELP locationd_push_budget_remaining Location pushes the device may still receive.",
            "# TYPE locationd_push_budget_remaining gauge", "locationd_push_budget_remaining \(pushes.budgetRemaining)",
        ]
        self.text = lines.joined(separator: "\n")
    }
}
