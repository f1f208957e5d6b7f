import SwiftUI
import WhereaboutsSharing

/// The first launch: the person names their sharing server.
struct WelcomeView: View {
    let launch: Launch
    @State private var server = "https://"
    @State private var problem: String?

    var body: some View {
        Form {
            Section("Your sharing server") {
                TextField("https://sharing.example.com", text: self.$server)
                    .keyboardType(.URL)
                    .textInputAutocapitalization(.never)
                    .autocorrectionDisabled()
                Button("Continue", action: self.begin)
            }
            if let problem = self.problem ?? self.launch.problem {
                Text(problem).foregroundStyle(.red)
            }
        }
    }

    private func begin() {
        do {
            self.problem = nil
            self.launch.begin(settings: try ServerSettings(server: self.server))
        } catch {
            self.problem = "\(error)"
        }
    }
}
