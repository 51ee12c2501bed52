internal import Dialects
internal import Statistics
internal import Vocabulary

/// What concerns several sections of a rig at once.
extension Rig {
    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        if !marks.gives("identities") {
            identities = target.base == .embedded ? .bySeed : .perRun
        }
        if !marks.gives("clean-up"), case .remote(let origin, _) = target.base {
            cleansUp = !TargetNeeds.isThisMachine(origin.host)
        }
        for position in kinds.indices {
            kinds[position].application = kinds[position].ownApplication.over(target.application)
        }
        if target.base == .embedded, protocols.contains(.oauthDeviceGrant) {
            target.deviceGrant = target.deviceGrant.ofStandin
        }
        if !marks["nightly"].gives("series") { nightly.series = Series.defaults(of: protocols) }
        checkSources(marks["source-addresses"].place, &reader)
        checkSpread(marks["target"], &reader)
        checkKinds(marks, &reader)
        checkPolling(marks["polling"], &reader)
        checkActivities(marks["after-sign-in"], &reader)
        checkProtocols(marks, &reader)
        checkStandin(marks, &reader)
        checkLines(marks, &reader)
        checkOperations(marks, &reader)
        checkMeaning(marks, &reader)
    }

    /// Loopback leads nowhere but to loopback: the kernel refuses such a connection.
    private func checkSources(_ place: Place, _ reader: inout ValueReader) {
        guard case .remote(let origin, _) = target.base, !TargetNeeds.isThisMachine(origin.host),
            let loop = sources.first(where: { $0.first.hasPrefix("127.") })
        else { return }
        reader.refuse(
            place,
            "\(loop.text) is a loopback address, from which \(origin.host) cannot be "
                + "reached; use addresses of this machine's network interfaces")
    }

    /// A connection stays with its address, so who shares an address decides who may share a
    /// connection.
    private func checkSpread(_ marks: Marks, _ reader: inout ValueReader) {
        let several = target.pinned.filter { $0.addresses.count > 1 }
        guard marks.isWhole, let first = several.first else { return }
        let place = marks["resolve"].place
        if several.contains(where: { $0.spread == .request }), connections != .fresh {
            reader.refuse(
                place,
                "spread: request needs a new connection for each request; add 'connections: fresh'")
        } else if connections == .pooled {
            reader.refuse(
                place,
                "'connections: pooled' shares connections, so no household stays on one of the "
                    + "\(first.addresses.count) addresses of \(first.host); use per-device or "
                    + "fresh")
        }
    }

    private func checkKinds(_ marks: Marks, _ reader: inout ValueReader) {
        let place = marks["kinds"].place
        if kinds.isEmpty, marks.isWhole {
            reader.refuse(
                place, "kinds is empty; remove it for one default kind of household")
        }
        let order = KindOrder(weights: kinds.map(\.weight), seed: Seed(1))
        if !order.isQuick {
            reader.refuse(
                place,
                "\(kinds.count) kinds with a total weight of \(order.total) are too many; use "
                    + "fewer kinds, or smaller weights")
        }
        var names: [String: Place] = [:]
        for (kind, marks) in zip(kinds, marks["kinds"].items) {
            let place = marks["name"].place
            if let first = names.updateValue(place, forKey: kind.name) {
                names[kind.name] = first
                reader.refuse(
                    place,
                    "duplicate kind '\(kind.name)', first defined in line \(first.line); give "
                        + "each kind its own name")
            }
            if marks.isWhole, kind.hasSecondViewer > 0 {
                checkSecondViewer(kind, marks["second-viewer"].place, &reader)
            }
        }
    }

    private func checkSecondViewer(
        _ kind: HouseholdKind, _ place: Place, _ reader: inout ValueReader
    ) {
        if kind.firstScreen.hasWebView || kind.firstScreen.isSDK || kind.hasTempPass {
            reader.refuse(
                place,
                "second-viewer needs a code on the screen; write first-screen: tvos and remove "
                    + "temp-pass")
        } else if kind.platform == nil, kind.secondScreens < 2 {
            reader.refuse(
                place,
                "second-viewer needs a phone for each viewer; set second-screens to 2 or more")
        } else if accounts != .generated {
            reader.refuse(
                place,
                "second-viewer works with generated accounts only; remove accounts or second-viewer"
            )
        }
    }

    private func checkPolling(_ marks: Marks, _ reader: inout ValueReader) {
        if polling.isByCode, !protocols.contains(.adobePassV1) {
            reader.refuse(
                marks["by"].place,
                "'by' is of adobe-pass-v1, and no household speaks it; remove by")
        }
        if !polling.pollsOn, !protocols.contains(.adobePassV2) {
            let (every, longer) = (polling.every, polling.every * 2 + .seconds(2))
            reader.warn(
                marks["after-success"].place,
                "after-success ends before the next poll is due, so that it tests nothing: polling.every is "
                    + "\(Spelling.spelled(every) ?? "longer"); write for example "
                    + "after-success: \(Spelling.spelled(longer) ?? "1m")")
        }
        let floor = target.protocolName.type.pollFloor
        guard marks.isWhole, polling.every < floor else { return }
        let place = marks["every"].place
        if polling.every == .zero {
            reader.refuse(place, "every is 0s; write for example 5s")
        } else {
            reader.warn(
                place,
                "polling.every is below the minimum of \(Int(floor.seconds)) s in "
                    + "\(target.protocolName.rawValue): expect 429s that are not the service's fault"
            )
        }
    }

    private func checkActivities(_ marks: Marks, _ reader: inout ValueReader) {
        guard target.resources.isEmpty else { return }
        for (activity, marks) in zip(afterSignIn, marks.items) {
            if case .ask(let operation) = activity, !operation.needsResources { continue }
            var word = Syntax<Activity>.activity.spelled(activity)
            if case .plays = activity { word = "plays" }
            guard let word else { continue }
            reader.refuse(
                marks.place, "\(word) needs a resource, and target.resources is empty; add one")
        }
    }

    /// Settings of a service that this run does not talk to: nothing comes of them.
    private func checkStandin(_ marks: Marks, _ reader: inout ValueReader) {
        guard case .remote(let origin, _) = target.base else { return }
        let standin = marks["standin"]
        if !standin.given.isEmpty {
            reader.warn(
                standin.place,
                "standin (\(standin.given.sorted().joined(separator: ", "))) configures the "
                    + "embedded target and has no effect on \(origin.host); configure the service "
                    + "itself, or use the options of 'screenrig serve'")
        }
        if let first = marks["faults"].items.first {
            reader.refuse(
                first.place,
                "faults need the embedded stand-in, and this target is another service; remove "
                    + "'faults', write base: embedded, or run a stand-in with the fault "
                    + "(screenrig serve --fault NAME) and use it as the target")
        }
    }

    /// Lines about one kind of household name one that there is; what is counted is recorded.
    private func checkLines(_ marks: Marks, _ reader: inout ValueReader) {
        // The defaults stand before the rig's own, and are of no kind.
        let items = marks["thresholds"].items
        for (line, marks) in zip(thresholds.suffix(items.count), items) {
            checkKind(line.kind, marks.place, &reader)
        }
        for (line, marks) in zip(shows, marks["shows"].items) {
            checkKind(line.kind, marks.place, &reader)
            if line.needsRecords, record != .all {
                reader.refuse(
                    marks.place,
                    "'\(line.text)' is counted from single exchanges, and not all are "
                        + "recorded; write record: all, or remove this line from shows")
            }
            if line.kind != nil, case .violation = line.subject {
                reader.refuse(
                    marks.place,
                    "violations are not counted by kind; remove 'kind \"...\":' from this line")
            }
        }
    }

    /// A line about an operation that no household asks for says nothing. "None of them" may be said.
    private func checkOperations(_ marks: Marks, _ reader: inout ValueReader) {
        let thresholds = marks["thresholds"].items
        for (line, marks) in zip(
            thresholds.isEmpty ? [] : self.thresholds.suffix(thresholds.count), thresholds)
        {
            if case .operation(let operation) = line.subject {
                checkOperation(operation, line.kind, marks.place, &reader)
            }
        }
        for (line, marks) in zip(shows, marks["shows"].items) {
            guard case .exchange(let operation, _, _, _) = line.subject,
                line.comparison != .equal || line.bound != 0
            else { continue }
            checkOperation(operation, line.kind, marks.place, &reader)
        }
        for (series, marks) in zip(nightly.series, marks["nightly"]["series"].items) {
            if case .operation(let operation) = series.subject {
                checkOperation(operation, series.kind, marks.place, &reader)
            }
        }
    }

    private func checkOperation(
        _ operation: OperationName, _ kind: String?, _ place: Place, _ reader: inout ValueReader
    ) {
        let own = kinds.first { $0.name == kind }.map { $0.application ?? target.application }
        let spoken = own.map { [$0.protocolName] } ?? protocols
        guard !operation.isOfConnection,
            !spoken.contains(where: { $0.operations.contains(operation) })
        else { return }
        let names = spoken.map(\.rawValue).joined(separator: " and ")
        let instead = spoken.flatMap { $0.counterparts(of: operation) }.map(\.name)
        reader.refuse(
            place,
            "\(operation.name) is not asked in \(names); "
                + (instead.isEmpty
                    ? "remove this line" : "write \(instead.joined(separator: " or "))"))
    }

    private func checkKind(_ kind: String?, _ place: Place, _ reader: inout ValueReader) {
        guard let kind, !kinds.contains(where: { $0.name == kind }) else { return }
        let names = kinds.map(\.name)
        // Whoever has so many problems sees no more of them.
        let nearest =
            reader.conflicts.count < RigErrors.shownAtMost ? kind.nearest(among: names) : nil
        let known = names.shortened.map { "'\($0.shortened)'" }.joined(separator: ", ")
        reader.refuse(
            place,
            "unknown kind of household '\(kind.shortened)'"
                + (nearest.map { "; did you mean '\($0)'?" } ?? "; the rig has \(known)"))
    }
}
