import SwiftUI
import WhereaboutsSharing

/// The tabs of the app: people, followers, grants, journal.
struct PeopleView: View {
    @Bindable var model: FriendsModel
    @Environment(\.scenePhase) private var phase

    var body: some View {
        TabView {
            FriendsView(model: self.model).tabItem { Label("People", systemImage: "person.2") }
            FollowersView(model: self.model).tabItem { Label("Followers", systemImage: "eye") }
                .badge(self.model.followers.count)
            GrantsView(model: self.model).tabItem { Label("Grants", systemImage: "hand.raised") }
            JournalView(model: self.model).tabItem { Label("Journal", systemImage: "list.bullet") }
        }
        .task(id: self.phase) {
            // Questions of the extension wait for 20 s at most.
            while self.phase == .active, !Task.isCancelled {
                self.model.refresh()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        .alert("Something went wrong", isPresented: self.hasProblem) {
            Button("OK") { self.model.problem = nil }
        } message: {
            Text(self.model.problem ?? "")
        }
    }

    private var hasProblem: Binding<Bool> {
        Binding {
            self.model.problem != nil
        } set: { isShown in
            if !isShown { self.model.problem = nil }
        }
    }
}

/// The friends who may be asked, the requests to them, and the questions that wait for this person.
private struct FriendsView: View {
    @Bindable var model: FriendsModel
    @State private var isAdding = false

    var body: some View {
        NavigationStack {
            List {
                Section { Text(self.model.status.words) }
                ForEach(self.model.questions, id: \.self) { question in
                    QuestionRow(model: self.model, question: question)
                }
                Section("Friends") {
                    ForEach(self.model.friends) { friend in FriendRow(model: self.model, friend: friend) }
                }
                Section("Requests") {
                    ForEach(self.model.asked) { asked in RequestRow(asked: asked) }
                }
            }
            .navigationTitle("People")
            .navigationDestination(item: self.$model.shownFriend) { friend in
                FollowView(model: self.model, friend: friend)
            }
            .toolbar { Button("Add", systemImage: "plus") { self.isAdding = true } }
            .sheet(isPresented: self.$isAdding) { AddFriendView(model: self.model) }
        }
    }
}

private struct FriendRow: View {
    let model: FriendsModel
    let friend: FriendsModel.Friend

    var body: some View {
        HStack {
            Text(self.friend.name)
            Spacer()
            if let minutes = self.friend.followMinutesMax {
                Button("Follow") {
                    self.model.follow(self.friend, minutes: min(minutes, 60))
                    self.model.shownFriend = self.friend
                }
            }
            Button("Ask") { Task { await self.model.ask(self.friend) } }
        }
        .buttonStyle(.bordered)
    }
}

private struct RequestRow: View {
    let asked: FriendsModel.Asked

    var body: some View {
        VStack(alignment: .leading) {
            Text(self.asked.words)
            if let fix = self.asked.fix { FixMap(fixes: [fix]).frame(height: 200) }
        }
    }
}

private struct QuestionRow: View {
    let model: FriendsModel
    let question: Question

    var body: some View {
        VStack(alignment: .leading) {
            Text(self.model.words(self.question))
            HStack {
                Button("Yes") { self.model.answer(self.question, isAllowed: true) }
                Button("No", role: .cancel) { self.model.answer(self.question, isAllowed: false) }
            }
            .buttonStyle(.bordered)
        }
    }
}
