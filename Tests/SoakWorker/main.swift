import Foundation

// A service in a process of its own, so that its memory and descriptors can be measured.
guard var soak = Soak(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: SoakWorker DIR SHIFTS COMMITS SEED [leak]")
    exit(64)
}
do {
    try await soak.run()
} catch {
    print("failed \(error)")
    exit(1)
}
