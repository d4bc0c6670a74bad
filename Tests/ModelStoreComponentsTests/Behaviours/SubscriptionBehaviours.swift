import ModelStore
import ModelStoreComponents
import ModelStoreTesting
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct SubscriptionBehaviours {
    @Test func `8 a subscriber pins its model, which goes within the grace period after`() async throws {
        let clock = TestClock()
        var options = OwnershipOptions(clock: clock)
        options.gracePeriod = .seconds(30)
        _ = try await Scene.run(options: options) { scene in
            let registry = scene.store.ownership
            weak var model: Model<Sensor>?
            var iterator: ModelValues<Sensor, Double>.Iterator?
            do {
                let obtained = try scene.store.model(Sensor.self, id: "s0")
                model = obtained
                iterator = obtained.values(of: \.celsius).makeAsyncIterator()
            }
            #expect(await iterator?.next() == 20)
            try await scene.set("s0", 21)
            #expect(await iterator?.next() == 21)
            do {
                let why = registry.whyAlive(try #require(model))
                #expect(why.type == "Sensor" && why.id == "s0" && why.pins.map(\.kind) == [.borrower])
                #expect(why.pins.first?.line.file.hasSuffix("SubscriptionBehaviours.swift") == true)
            }
            iterator = nil
            // The registry keeps the model for a while, so that a new request returns the same object.
            #expect(model != nil && registry.metrics.restingCount == 1)
            do {
                let again = try scene.store.model(Sensor.self, id: "s0")
                #expect(again === model)
                #expect(registry.whyAlive(again).isResting)
            }
            try await clock.untilSleeping()
            clock.advance(by: .seconds(29))
            #expect(model != nil)
            clock.advance(by: .seconds(1))
            // The registry's task needs its turn.
            while registry.metrics.restingCount > 0 { try await nextTurn() }
            #expect(model == nil)
            #expect(registry.report().objects.isEmpty)
        }
    }

    @Test func `8 without a grace period a model goes with its last pin`() async throws {
        _ = try await Scene.run { scene in
            weak var model: Model<Sensor>?
            let inner = try scene.scope.child("part")
            do {
                model = try inner.borrow(scene.store.model(Sensor.self, id: "s1"))
            }
            try await scene.set("s1", 5)
            #expect(model?.celsius == 5)
            inner.close()
            #expect(model == nil)
        }
    }

    @Test func `8 the grace period's cache is bounded, and the oldest goes first`() async throws {
        let clock = TestClock()
        var options = OwnershipOptions(clock: clock)
        options.gracePeriod = .seconds(30)
        options.graceLimit = 2
        _ = try await Scene.run(sensors: 4, options: options) { scene in
            for number in 0..<4 {
                let inner = try scene.scope.child("part")
                try inner.borrow(scene.store.model(Sensor.self, id: "s\(number)"))
                inner.close()
            }
            let report = scene.store.ownership.report()
            #expect(report.objects.map(\.id) == ["s2", "s3"] && report.objects.allSatisfy(\.isResting))
            scene.store.ownership.releaseIdle()
            #expect(scene.store.ownership.report().objects.isEmpty)
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .nanoseconds(Int64.max)])
    func `8 a grace period and a leak's delay may be for ever`(_ long: Duration) async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(1))
        let notices = Notices()
        var options = OwnershipOptions(clock: clock)
        options.gracePeriod = long
        options.leakDelay = long
        options.onNotice = { notices.add($0) }
        var storeOptions = StoreOptions()
        storeOptions.ownership = options
        let store = try Store.temporary(records: Sensor.self, options: storeOptions)
        try await store.write { try $0.insert(Sensor(id: "s0", room: "hall")) }
        clock.advance(by: .seconds(1))
        let thing = Thing(Journal(), Numbers())
        let scope = try store.scope("part")
        try scope.borrow(store.model(Sensor.self, id: "s0"))
        try scope.own(thing)
        scope.close()
        await scope.waitUntilClosed()
        clock.advance(by: .seconds(1_000_000))
        #expect(store.ownership.metrics.restingCount == 1)
        #expect(store.ownership.leaks().map(\.scope) == ["part"] && notices.all.isEmpty)
        store.ownership.releaseIdle()
        #expect(store.ownership.metrics.restingCount == 0)
        withExtendedLifetime(thing) {}
    }

    @Test func `9 leaving a loop, cancelling a task and dropping an effect end subscriptions, twice is harmless`()
        async throws
    {
        _ = try await Scene.run { scene in
            let registry = scene.store.ownership
            let model = try scene.store.model(Sensor.self, id: "s0")
            for await _ in model.values(of: \.celsius) {
                #expect(registry.whyAlive(model).pins.count == 1)
                break
            }
            #expect(registry.whyAlive(model).pins.isEmpty)

            let started = Subject(0)
            let tasks = (0..<3).map { _ in
                Task {
                    for await _ in model.changes { started.update { $0 += 1 } }
                }
            }
            for await count in started.values where count == 3 { break }
            #expect(registry.whyAlive(model).pins.map(\.kind) == [.borrower, .borrower, .borrower])
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            #expect(registry.whyAlive(model).pins.isEmpty)

            var effect: Effect? = scene.store.observe { started.send(Int(model.celsius)) }
            for await value in started.values where value == 20 { break }
            effect?.cancel()
            effect?.cancel()
            try? await effect?.waitUntilEnded()
            effect = nil
            try await scene.set("s0", 99)
            #expect(started.value == 20)

            let pin = registry.pin(model, .borrower)
            #expect(registry.metrics.pinCount == 1)
            pin.release()
            pin.release()
            #expect(registry.metrics.pinCount == 0)
        }
    }

    @Test func `9 dropping an effect ends it, and lets go what it has`() async throws {
        let journal = Journal()
        let count = Subject(0)
        try await Scene.run { scene in
            var effect: Effect? = scene.store.observe { [thing = Thing(journal, scene.numbers)] in
                journal.add("\(thing.number) sees \(count.value)")
            }
            await journal.until { $0.contains("1 sees 0") }
            withExtendedLifetime(effect) {}
            effect = nil
            // Dropping the last reference is enough to end the effect.
            await journal.until { $0.contains("destroyed 1") }
            count.send(1)
            #expect(journal.all == ["created 1", "1 sees 0", "destroyed 1"])
        }
    }

    @Test func `10 publisher gone, subscription ends`() async throws {
        let journal = Journal()
        var thing: Thing? = Thing(journal, Numbers())
        let values = try #require(thing).$count
        let reader = Task {
            var seen: [Int] = []
            for await count in values {
                seen.append(count)
                journal.add("saw \(count)")
            }
            return seen
        }
        await journal.until { $0.contains("saw 0") }
        thing?.count = 1
        await journal.until { $0.contains("saw 1") }
        thing = nil
        #expect(await reader.value == [0, 1])
        #expect(journal.all == ["created 1", "saw 0", "saw 1", "destroyed 1"])
        var late = values.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `10 the last value comes before the end, also when the object goes before it is read`() async throws {
        let journal = Journal()
        var thing: Thing? = Thing(journal, Numbers())
        var counts = try #require(thing).$count.makeAsyncIterator()
        var names = try #require(thing).$name.removeDuplicates().makeAsyncIterator()
        #expect(await counts.next() == 0)
        #expect(await names.next() == "thing")
        thing?.count = 1
        thing = nil
        #expect(journal.all.last == "destroyed 1")
        #expect(await counts.next() == 1)
        #expect(await counts.next() == nil)
        #expect(await counts.next() == nil)
        #expect(await names.next() == nil)
    }

    @Test func `11 one instance for each id, and one for each incarnation`() async throws {
        _ = try await Scene.run { scene in
            let models = try await withThrowingTaskGroup(of: Model<Sensor>.self) { group in
                for _ in 0..<32 { group.addTask { try scene.store.model(Sensor.self, id: "s2") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let model = models[0]
            #expect(models.allSatisfy { $0 === model })
            var changes = model.changes.makeAsyncIterator()
            #expect(await changes.next()?.kind == .current)
            try await scene.store.write { try $0.delete(Sensor.self, id: "s2") }
            try await scene.store.write { try $0.insert(Sensor(id: "s2", room: "attic", celsius: 1)) }
            #expect(await changes.next()?.kind == .deleted)
            #expect(await changes.next() == nil)
            #expect(model.isDeleted && model.celsius == 20 && model.room == "hall")
            let next = try scene.store.model(Sensor.self, id: "s2")
            #expect(next !== model && next.celsius == 1 && !next.isDeleted)
        }
    }

    @Test func `a pending write is a pin, and ends with it`() async throws {
        _ = try await Scene.run { scene in
            let registry = scene.store.ownership
            let model = try scene.store.model(Sensor.self, id: "s0")
            try await model.update { record in
                record.celsius = 3
                // The closure runs on the writer's thread, so the write is pending here.
                #expect(registry.whyAlive(model).pins.map(\.kind) == [.pendingWrite])
            }
            #expect(registry.whyAlive(model).pins.isEmpty && model.celsius == 3)
        }
    }
}
