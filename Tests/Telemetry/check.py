#!/usr/bin/env python3
"""What `--otlp` sends, before a receiver that reads it by the official definitions, and joined with spans of a server.

    check.py --screenrig PATH --work DIR

opentelemetry-proto and opentelemetry-sdk, installed by pip into a virtual environment of this machine's temporary directory, have
the protobuf definitions of OTLP and the reference implementation of traces. The receiver parses each message with these definitions
and refuses unknown fields, wrong types and ids that are not hexadecimal, as the JSON encoding of OTLP demands; it is no collector.
A proxy in front of the stand-in makes a server's span of each request with the SDK, from the request's `traceparent` alone.
One line for each check; exit code 0 when all hold, 1 when one does not. Where pip cannot install them: "SKIPPED reason".
"""
import argparse, base64, http.client, http.server, json, os, pathlib, re, socket, subprocess, sys, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests"))
from python_packages import installed

PACKAGES = ["opentelemetry-proto==1.45.2", "opentelemetry-sdk==1.45.2"]
problems = []


def expect(holds, words):
    print("%s %s" % ("ok  " if holds else "FAIL", words), flush=True)
    if not holds:
        problems.append(words)


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, "http://127.0.0.1:%d" % server.server_port


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes OTLP/HTTP in JSON; anything else is refused."""
    protocol_version = "HTTP/1.1"
    bodies, refused, headers_seen = [], [], []
    spans, metrics = [], []
    # What it answers instead; nil: what is right.
    status = None

    def do_POST(self):
        from google.protobuf import json_format
        from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.status:
            return self.answer(self.status, b"{}")
        self.bodies.append(body)
        self.headers_seen.append(dict(self.headers.items()))
        try:
            assert self.headers["Content-Type"] == "application/json", "the content type"
            if self.path == "/v1/traces":
                request, response = trace_service_pb2.ExportTraceServiceRequest(), trace_service_pb2.ExportTraceServiceResponse()
                document = json.loads(body)
                for resource in document["resourceSpans"]:
                    for scope in resource["scopeSpans"]:
                        for span in scope["spans"]:
                            # OTLP has ids in hexadecimal where protobuf's JSON has base64.
                            for key, digits in [("traceId", 32), ("spanId", 16)]:
                                assert re.fullmatch("[0-9a-f]{%d}" % digits, span[key]), key
                                assert set(span[key]) != {"0"}, "an id of zeros"
                                span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
                json_format.ParseDict(document, request)
                self.spans.append(request)
            elif self.path == "/v1/metrics":
                request, response = metrics_service_pb2.ExportMetricsServiceRequest(), metrics_service_pb2.ExportMetricsServiceResponse()
                json_format.Parse(body, request)
                self.metrics.append(request)
            else:
                raise AssertionError("no such path: %s" % self.path)
        except (AssertionError, KeyError, ValueError, json_format.ParseError) as error:
            self.refused.append("%s: %r" % (self.path, error))
            return self.answer(400, b"{}")
        self.answer(200, json_format.MessageToJson(response).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def proxy_to(port, tracer, secrets):
    """A server in front of another, whose spans are children of what `traceparent` says."""
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def carry(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            for value in [self.headers.get("Authorization")] + re.findall(rb"password=([^&]+)", body):
                if value:
                    text = value if isinstance(value, str) else value.decode()
                    secrets.add(text.removeprefix("Bearer "))
            context = TraceContextTextMapPropagator().extract({k.lower(): v for k, v in self.headers.items()})
            with tracer.start_as_current_span(self.path.split("?")[0], context=context, kind=trace.SpanKind.SERVER):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                headers = {k: v for k, v in self.headers.items() if k.lower() != "connection"}
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                data = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
                    self.send_header(name, value)
            if answer.status != 204:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            connection.close()

        do_GET = do_POST = do_DELETE = carry

        def log_message(self, *words):
            pass
    return serve(Proxy)


def run(screenrig, folder, name, words, environment={}):
    out = os.path.join(folder, name)
    ended = subprocess.run(
        [screenrig, "run", str(ROOT / "rigs/smoke.yaml"), "--quiet", "--out", out, *words], cwd=folder, text=True,
        capture_output=True, timeout=120,
        env={**{k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}, **environment})
    said = [line for line in ended.stderr.splitlines() if line.startswith("telemetry: ")]
    return ended, (said or [""])[0], out


def attributes(holder):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in holder.attributes}


def check_joined(screenrig, folder):
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    standin = subprocess.Popen([screenrig, "serve", "--port", "0", "--policy", "throttle=none"], stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        port = int(standin.stdout.readline().strip().rsplit(":", 1)[1].split("/")[0])
        kept = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(kept))
        secrets = set()
        proxy, target = proxy_to(port, provider.get_tracer("server"), secrets)
        receiver, collector = serve(Receiver)
        ended, said, out = run(
            screenrig, folder, "joined", ["--target", target, "--otlp", "environment", "--otlp-traces"],
            {"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=k%20ey-17",
             "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=staging,screenrig.rig=renamed"})
        expect(ended.returncode == 0, "a run with a collector passes: %s" % ended.stderr.strip()[-300:])
        expect(not Receiver.refused and Receiver.bodies, "every message is right by the official definitions: %s" % Receiver.refused[:3])
        expect(all(h.get("x-api-key") == "k ey-17" for h in Receiver.headers_seen), "headers of the variable are sent")
        expect("k ey-17" not in ended.stderr + ended.stdout, "and not shown")
        resources = [attributes(r.resource) for m in Receiver.spans for r in m.resource_spans]
        resources += [attributes(r.resource) for m in Receiver.metrics for r in m.resource_metrics]
        summary = json.load(open(os.path.join(out, "summary.json")))
        run_id = summary["run"]["runId"]
        expect(all(r["service.name"] == "screenrig" and r["deployment.environment"] == "staging" and r["screenrig.rig"] == "renamed"
                   and r["screenrig.run"] == "joined" for r in resources), "resource: %s" % resources[0])
        expect(all(r["screenrig.run.id"] == run_id for r in resources), "the run's id is that of its summary")
        spans = [s for m in Receiver.spans for r in m.resource_spans for scope in r.scope_spans for s in scope.spans]
        sent = summary["exchanges"]["sent"]
        expect(len(spans) == sent, "a span for each of %d exchanges: %d" % (sent, len(spans)))
        ids = {(s.trace_id.hex(), s.span_id.hex()) for s in spans}
        expect(len(ids) == len(spans), "each with an id of its own")
        expect(all(s.end_time_unix_nano >= s.start_time_unix_nano > 1.7e18 for s in spans), "times are of this century, in order")
        mine = kept.get_finished_spans()
        joined = [s for s in mine if s.parent and ("%032x" % s.context.trace_id, "%016x" % s.parent.span_id) in ids]
        expect(len(mine) >= 80 and len(joined) == len(mine), "%d of %d spans of the server are children of screenrig's" % (len(joined), len(mine)))
        homes = {attributes(s)["screenrig.household"] for s in spans}
        expect(len({s.trace_id for s in spans}) == len(homes) == summary["households"]["started"], "a trace for each household")
        latest = {}
        for message in Receiver.metrics:
            for resource in message.resource_metrics:
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        latest[metric.name] = metric
        total = sum(p.as_double for p in latest["screenrig.exchanges"].sum.data_points
                    if attributes(p)["operation"] not in ("connect", "tls"))
        expect(total == sent, "the last metrics count all exchanges: %d of %d" % (total, sent))
        polls = [p for p in latest["screenrig.latency"].histogram.data_points if attributes(p)["operation"] == "poll-token"]
        expect(latest["screenrig.latency"].unit == "s" and polls and sum(polls[0].bucket_counts) == polls[0].count > 0
               and len(polls[0].bucket_counts) == len(polls[0].explicit_bounds) + 1, "the histogram of latency is whole")
        everything = b"".join(Receiver.bodies).decode()
        found = [s for s in secrets if len(s) >= 4 and s in everything]
        expect(len(secrets) >= 8 and not found, "none of %d tokens and passwords of the run is in it" % len(secrets))
        expect("nothing" not in said and "%d spans" % sent in said and "dropped" not in said, "the end says so: %s" % said)
        proxy.shutdown()
        receiver.shutdown()
    finally:
        standin.terminate()
        standin.wait()


def check_refusals(screenrig, folder):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = "http://127.0.0.1:%d" % closed.getsockname()[1]
        ended, said, _ = run(screenrig, folder, "nobody", ["--otlp", nobody, "--otlp-traces"])
    expect(ended.returncode == 0 and "dropped" in said and "lost" in said, "without a collector the run passes, and says what was lost: %s" % said)
    receiver, collector = serve(Receiver)
    Receiver.bodies.clear()
    ended, said, _ = run(screenrig, folder, "silent", [], {"OTEL_EXPORTER_OTLP_ENDPOINT": collector})
    expect(ended.returncode == 0 and not Receiver.bodies and not said, "nothing is sent unless --otlp asks for it")
    Receiver.headers_seen.clear()
    ended, said, _ = run(screenrig, folder, "other", ["--otlp", collector], {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://another.test:4318", "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=secret"})
    expect(Receiver.headers_seen and not any("x-api-key" in h for h in Receiver.headers_seen), "headers of another collector stay here")
    expect("span" not in said, "and no span without --otlp-traces: %s" % said)
    Receiver.status = 400
    ended, said, _ = run(screenrig, folder, "refused", ["--otlp", collector, "--otlp-traces"])
    expect(ended.returncode == 0 and "was answered 400" in said, "a collector that refuses is told: %s" % said)
    receiver.shutdown()
    for words, environment, wanted in [
        (["--otlp", "environment"], {}, "OTEL_EXPORTER_OTLP_ENDPOINT, which is not set"),
        (["--otlp", "ftp://x"], {}, "it must be the base address of a collector"),
        (["--otlp", "http://me:hush@127.0.0.1:4318"], {}, "put it into OTEL_EXPORTER_OTLP_HEADERS"),
        (["--otlp-traces"], {}, "--otlp-traces needs a collector"),
        (["--otlp", "http://127.0.0.1:4318", "--virtual"], {}, "--otlp is for runs over sockets"),
        (["--otlp", "http://127.0.0.1:4318"], {"OTEL_EXPORTER_OTLP_HEADERS": "hush"}, "is not a list such as"),
    ]:
        ended, _, _ = run(screenrig, folder, "bad", words, environment)
        expect(ended.returncode == 2 and wanted in ended.stderr and "hush" not in ended.stderr, "%s: %s" % (" ".join(words), ended.stderr.strip()[:160]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    python = installed("screenrig-telemetry", PACKAGES, "OpenTelemetry's packages")
    if os.environ.get("SCREENRIG_TELEMETRY") != "inside":
        os.environ["SCREENRIG_TELEMETRY"] = "inside"
        os.execv(python, [str(python), __file__] + sys.argv[1:])
    screenrig, folder = os.path.abspath(options.screenrig), os.path.abspath(options.work)
    os.makedirs(folder, exist_ok=True)
    check_joined(screenrig, folder)
    check_refusals(screenrig, folder)
    print("%d problems" % len(problems) if problems else "every message was right, every span joined")
    sys.exit(1 if problems else 0)


main()
