import Journal
import Reports
import Rigs
import Runner
import Statistics
import TestSupport

/// One rig in virtual time: whole, as one process runs it, and as shards.
struct ShardRehearsal {
    let rig: Rig
    let folder: TestFolder

    init(_ rig: Rig) throws {
        self.rig = rig
        folder = TestFolder()
    }

    /// Runs shard `number` of `count`, or all where there is one shard; gives the run directory.
    @discardableResult
    func play(_ number: Int = 0, of count: Int = 1, as name: String, asShard: Bool = true) throws
        -> RunDirectory
    {
        let directory = try RunDirectory.create(
            rig: rig.name, startedMicroseconds: Venue.virtualEpoch, out: folder.path(name))
        let terms = ShardTerms(Shard(number, of: count), of: RunID(of: rig.seed))
        let session = try RunSession(
            rig, on: Venue(virtual: rig, as: asShard ? terms : nil), into: directory)
        _ = try session.play()
        return directory
    }

    /// Runs all shards, and gives the folder that holds them.
    func shards(_ count: Int, as name: String = "shards") throws -> String {
        for number in 0..<count { try play(number, of: count, as: "\(name)/\(number)") }
        return folder.path(name)
    }

    func merge(
        _ names: [String], as name: String = "merged", fetch: FetchCommand? = nil,
        clockBound: Duration? = nil
    ) throws -> (directory: RunDirectory, summary: Summary) {
        try ShardMerge.run(
            names,
            ShardMerge.MergeOptions(out: folder.path(name), fetch: fetch, clockBound: clockBound),
            complain: { print("merge: \($0)") })
    }
}
