import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import Signing
import Standin
import TestSupport

/// Keys and certificates made by the `openssl` command, in a folder of their own.
final class Certificates {
    let folder = TestFolder()

    /// A CA, and those of `server`, `other`, `expired` and `client` that are asked for.
    init(_ names: [String]) throws {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try openssl("req -x509 \(key) -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca")
        for (name, host, days) in [
            ("server", "localhost", 2), ("other", "elsewhere.test", 2),
            ("expired", "localhost", -1), ("client", "a-device", 2),
        ] where names.contains(name) {
            try openssl(
                "req \(key) -keyout \(name).key -out \(name).csr -subj /CN=\(host) "
                    + "-addext subjectAltName=DNS:\(host)")
            try openssl(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -copy_extensions copy "
                    + "-days \(days) -out \(name).pem")
        }
    }

    func path(_ name: String) -> String { folder.path(name) }

    func text(_ name: String) throws -> String { try folder.read(name) }

    private func openssl(_ arguments: String) throws {
        let command = ["openssl"] + arguments.split(separator: " ").map(String.init)
        let status = try Program(command, in: folder.url).status
        precondition(status == 0, "openssl \(arguments)")
    }
}

/// A well-behaved server on loopback: HTTP/1.1 and HTTP/2, with TLS or without. Answers each request
/// with its version, the connection's number and what it was sent.
final class TidyServer {
    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    enum Speech { case http1, http2 }

    /// What a connection of HTTP/2 meets with its second request, which nobody has begun with; the first is answered.
    enum SecondStream: CaseIterable { case isRefused, isPastGoAway, meetsEnd }

    /// `certificate` names files of `certificates`; nil is plain. `wantsClient` asks for one
    /// in turn; `isOld` knows no TLS 1.3.
    init(
        _ speech: Speech, certificates: Certificates? = nil, certificate: String = "server",
        wantsClient: Bool = false, isOld: Bool = false, second: SecondStream? = nil
    ) throws {
        let tls = try certificates.map { files in
            try TLSServer(
                CertificatePair(
                    certificate: try files.text("\(certificate).pem"),
                    key: try files.text("\(certificate).key")),
                protocols: [speech == .http2 ? "h2" : "http/1.1"],
                clientAuthority: wantsClient ? try files.text("ca.pem") : nil, isOld: isOld)
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.group = group
        channel = try ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 512)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(TLSLayer(tls)) }
                    switch speech {
                    case .http1:
                        try pipeline.configureHTTPServerPipeline()
                        try pipeline.addHandler(Answerer(version: "1.1"))
                    case .http2:
                        _ = try pipeline.configureHTTP2Pipeline(
                            mode: .server, connectionConfiguration: .init(),
                            streamConfiguration: .init()
                        ) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                if let second {
                                    try stream.pipeline.syncOperations.addHandler(
                                        SecondStreamHandler(second))
                                }
                                try stream.pipeline.syncOperations.addHandlers([
                                    HTTP2FramePayloadToHTTP1ServerCodec(),
                                    Answerer(version: "2"),
                                ])
                            }
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
    }

    func stop() {
        try? channel.close().wait()
        try? group.syncShutdownGracefully()
    }

    /// Ends the second stream of a connection as `SecondStream` says.
    private final class SecondStreamHandler: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload
        private let second: SecondStream

        init(_ second: SecondStream) { self.second = second }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let connection = context.channel.parent,
                let number = try? context.channel.syncOptions?.getOption(
                    HTTP2StreamChannelOptions.streamID), number != 1
            else { return context.fireChannelRead(data) }
            switch second {
            case .isRefused:
                context.writeAndFlush(
                    wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
            case .isPastGoAway:
                connection.writeAndFlush(
                    HTTP2Frame(
                        streamID: .rootStream,
                        payload: .goAway(
                            lastStreamID: 1, errorCode: .noError, opaqueData: nil)), promise: nil)
            case .meetsEnd: connection.close(promise: nil)
            }
        }
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let version: String
        private var received = 0
        private var uri = ""

        init(version: String) { self.version = version }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                uri = head.uri
                received = 0
            case .body(let body): received += body.readableBytes
            case .end:
                let text = "\(version) \(uri) \(received)"
                let head = HTTPResponseHead(
                    version: .http1_1, status: .ok,
                    headers: ["content-length": "\(text.utf8.count)"])
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(
                    wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
