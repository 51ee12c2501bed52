import Foundation
import TestSupport
import Testing

@testable import Rigs

@Suite("Shards")
struct ShardTests {
    @Test(
        "--shard is I/N from 0, auto or auto/N",
        arguments: [
            ("0/1", .exactly(Shard(0, of: 1))), ("7/8", .exactly(Shard(7, of: 8))),
            ("auto", .ofEngine(count: nil)), ("auto/8", .ofEngine(count: 8)),
        ] as [(String, ShardRequest)])
    func parses(text: String, request: ShardRequest) throws {
        #expect(try ShardRequest(parsing: text) == request)
    }

    static let kubernetes = ["JOB_COMPLETION_INDEX": "3"]
    static func slurm(
        _ id: Int, count: Int, first: Int = 0, last: Int? = nil, step: Int? = nil
    ) -> [String: String] {
        var environment = [
            "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
            "SLURM_ARRAY_TASK_MIN": "\(first)", "SLURM_ARRAY_JOB_ID": "4711",
        ]
        environment["SLURM_ARRAY_TASK_MAX"] = last.map(String.init)
        environment["SLURM_ARRAY_TASK_STEP"] = step.map(String.init)
        return environment
    }

    /// As Slurm 22.05 sets them in a step; the script of a job has SLURM_PROCID=0 and SLURM_NTASKS, and no step.
    static func srun(_ rank: Int, of count: Int) -> [String: String] {
        [
            "SLURM_PROCID": "\(rank)", "SLURM_STEP_NUM_TASKS": "\(count)",
            "SLURM_NTASKS": "\(count)", "SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0",
            "SLURM_RESTART_COUNT": "0",
        ]
    }

    struct Engine: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var environment: [String: String]
        var placement: ShardPlacement
    }

    static func engine(
        _ label: String, _ environment: [String: String], _ number: Int, _ count: Int,
        asked text: String = "auto", run: String? = nil, attempt: Int? = nil,
        of engine: String? = nil
    ) -> Engine {
        Engine(
            testDescription: label, text: text, environment: environment,
            placement: ShardPlacement(
                shard: Shard(number, of: count), run: run, attempt: attempt, engine: engine))
    }

    static let engines = [
        engine(
            "a completion index, with the number given", kubernetes, 3, 8, asked: "auto/8",
            of: "a Kubernetes Indexed Job"),
        engine(
            "a completion index, with number and id as a manifest sets them",
            kubernetes.merging(["SCREENRIG_SHARDS": "8", "SCREENRIG_RUN_ID": "premiere"]) { $1 }, 3,
            8, run: "premiere", of: "a Kubernetes Indexed Job"),
        engine("an array from 0", slurm(3, count: 8, last: 7), 3, 8, run: "4711", of: "Slurm"),
        engine("an array from 1", slurm(8, count: 8, first: 1), 7, 8, run: "4711", of: "Slurm"),
        engine(
            "an array with a step", slurm(6, count: 4, last: 6, step: 2), 3, 4, run: "4711",
            of: "Slurm"),
        engine(
            "an array with a step that only its ends tell", slurm(4, count: 3, first: 1, last: 7),
            1, 3, run: "4711", of: "Slurm"),
        engine(
            "a single task of an array that is run again",
            slurm(5, count: 1, first: 5, last: 5), 5, 8, asked: "auto/8", run: "4711", of: "Slurm"),
        engine(
            "an array from anywhere, with its number given",
            slurm(101, count: 8, first: 100, last: 107, step: 1), 1, 8, asked: "auto/8",
            run: "4711", of: "Slurm"),
        engine(
            "a task of an array that was requeued, on a named cluster",
            slurm(0, count: 2).merging([
                "SLURM_RESTART_COUNT": "2", "SLURM_CLUSTER_NAME": "alps",
            ]) { $1 }, 0, 2, run: "alps-4711", attempt: 3, of: "Slurm"),
        engine(
            "a rank",
            [
                "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4",
                "PMIX_NAMESPACE": "prterun-a-77@1",
            ],
            1, 4, run: "prterun-a-77@1", of: "Open MPI"),
        engine(
            "a rank of an older Open MPI",
            [
                "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1",
                "OMPI_MCA_ess_base_jobid": "22",
            ],
            0, 1, run: "22", of: "Open MPI"),
        engine(
            "a task of Cloud Run in its first attempt",
            [
                "CLOUD_RUN_TASK_INDEX": "0", "CLOUD_RUN_TASK_COUNT": "10",
                "CLOUD_RUN_TASK_ATTEMPT": "0", "CLOUD_RUN_EXECUTION": "night-x7k2p",
            ], 0, 10, run: "night-x7k2p", attempt: 1, of: "Cloud Run"),
        engine(
            "a child of AWS Batch in its second attempt",
            [
                "AWS_BATCH_JOB_ARRAY_INDEX": "9", "AWS_BATCH_JOB_ARRAY_SIZE": "10",
                "AWS_BATCH_JOB_ATTEMPT": "2", "AWS_BATCH_JOB_ID": "6c7cc5e1:9",
            ], 9, 10, run: "6c7cc5e1", attempt: 2, of: "AWS Batch"),
        engine("a rank of srun", srun(2, of: 4), 2, 4, run: "4711-0", attempt: 1, of: "srun"),
        engine(
            "a task of an array, started by srun alone",
            slurm(3, count: 8, last: 7).merging(srun(0, of: 1)) { $1 }, 3, 8, run: "4711",
            attempt: 1, of: "Slurm"),
        engine(
            "a rank of Open MPI, whose daemons srun started",
            ["OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8"].merging(srun(1, of: 2)) {
                $1
            }, 5, 8, of: "Open MPI"),
        engine("a shard that is named, without an engine", [:], 2, 3, asked: "2/3"),
        engine(
            "a shard that is named, with what its engine says of run and attempt",
            slurm(0, count: 2).merging(["SLURM_RESTART_COUNT": "1"]) { $1 }, 2, 3, asked: "2/3",
            run: "4711",
            attempt: 2, of: "Slurm"),
        engine(
            "a shard that is named, where two engines could mean it",
            kubernetes.merging(["OMPI_COMM_WORLD_RANK": "0"]) { $1 }, 2, 3, asked: "2/3"),
    ]

    @Test("every engine's environment gives place, run and attempt", arguments: engines)
    func places(engine: Engine) throws {
        let request = try ShardRequest(parsing: engine.text)
        #expect(try request.placement(in: engine.environment) == engine.placement)
    }

    static let mistakes: [(String, [String: String])] = [
        ("8/8", [:]), ("1/1", [:]), ("0/0", [:]), ("3/200000", [:]), ("3", [:]), ("-1/8", [:]),
        ("a/8", [:]), ("auto/", [:]), ("1/2/3", [:]), ("", [:]), ("auto", [:]),
        ("auto", kubernetes),
        ("auto", kubernetes.merging(["SCREENRIG_SHARDS": "many"]) { $1 }),
        ("auto/3", kubernetes),
        ("auto/8", ["JOB_COMPLETION_INDEX": "x"]),
        ("auto", kubernetes.merging(["OMPI_COMM_WORLD_RANK": "0"]) { $1 }),
        ("auto/8", ["OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4"]),
        ("auto", slurm(3, count: 3, first: 1, last: 7)),
        ("auto", slurm(5, count: 1, first: 5, last: 5)),
        ("auto", slurm(2, count: 2, first: 2, last: 5)),
        ("auto", ["CLOUD_RUN_TASK_INDEX": "10", "CLOUD_RUN_TASK_COUNT": "10"]),
        ("auto", ["SLURM_PROCID": "0", "SLURM_NTASKS": "1"]),
        ("auto", ["SLURM_PROCID": "0", "SLURM_NTASKS": "4"]),
        ("auto", srun(0, of: 1)),
        ("auto", slurm(3, count: 8, last: 7).merging(srun(1, of: 2)) { $1 }),
        ("auto/8", srun(1, of: 4)),
        (
            "auto",
            [
                "AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "2",
                "AWS_BATCH_JOB_ATTEMPT": "-",
            ]
        ),
        // The user wrote SCREENRIG_SHARDS, and not --shard auto/N.
        ("auto", kubernetes.merging(["SCREENRIG_SHARDS": "3"]) { $1 }),
        ("auto", kubernetes.merging(["SCREENRIG_SHARDS": "1"]) { $1 }),
        ("auto", slurm(5, count: 1, first: 5, last: 5).merging(["SCREENRIG_SHARDS": "4"]) { $1 }),
        ("auto", srun(1, of: 4).merging(["SCREENRIG_SHARDS": "8"]) { $1 }),
        (
            "auto",
            [
                "OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4", "SCREENRIG_SHARDS": "1",
            ]
        ),
    ]

    @Test(
        "a mistake in the number of shards names where it was written",
        arguments: [
            ("auto/8", nil, "--shard auto/8"), ("auto", "8", "SCREENRIG_SHARDS"),
            ("auto/8", "4", "--shard auto/8"),
        ] as [(text: String, variable: String?, place: String)])
    func countsOfUsers(text: String, variable: String?, place: String) throws {
        for var environment in [Self.srun(1, of: 4), ["JOB_COMPLETION_INDEX": "9"]] {
            environment["SCREENRIG_SHARDS"] = variable
            do throws(ShardError) {
                _ = try ShardRequest(parsing: text).placement(in: environment)
                Issue.record("\(text) in \(environment) is refused")
            } catch {
                let sentence = "\(error)"
                #expect(sentence.contains(place), "\(sentence)")
                #expect(sentence.contains("auto/8") == (text == "auto/8"), "\(sentence)")
            }
        }
    }

    @Test("a mistake says what would be right")
    func errors() throws {
        let sentences = Self.mistakes.map { text, environment in
            do throws(ShardError) {
                let place = try ShardRequest(parsing: text).placement(in: environment)
                return "\(text) is \(place.shard), and should be refused"
            } catch {
                return "\(error)"
            }
        }
        for sentence in sentences { #expect(!sentence.hasSuffix(".")) }
        try Golden.expect(
            sentences.joined(separator: "\n") + "\n",
            is: "shards.txt")
    }
}
