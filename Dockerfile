# The image of screenrig: built on the official Swift image, run on a small Debian as a user.
#
#   docker build -t screenrig .
#   mkdir -p out && docker run --rm -v "$PWD/out:/reports" screenrig run rigs/smoke.yaml
#   docker run --rm -p 127.0.0.1:8080:8080 screenrig serve --host 0.0.0.0

FROM swift:6.3-bookworm AS build
WORKDIR /src

# From what changes least to what changes most: an edit under Sources fetches nothing again.
COPY scripts/setup.sh scripts/
RUN sh scripts/setup.sh
# Package.resolved is not in the repository; where there is one, its versions are taken.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
# SwiftPM wants the folder of every target of the manifest, also of those that it does not build.
COPY Tests Tests
COPY Sources Sources
RUN swift build -c release --product screenrig --static-swift-stdlib \
    && install -D "$(swift build -c release --static-swift-stdlib --show-bin-path)/screenrig" /image/screenrig \
    && strip /image/screenrig

FROM debian:bookworm-slim
# Swift's own libraries are inside the binary. 'readelf -d' names what is not: libcurl.so.4, libjemalloc.so.2, libsqlite3.so.0, libssl.so.3
# and libcrypto.so.3 (libssl3), libstdc++.so.6 and libgcc_s.so.1 (libstdc++6).
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libjemalloc2 libsqlite3-0 libssl3 libstdc++6 tini \
    && apt-get clean && rm -rf /var/lib/apt/lists/*
# 1000 is the first user of most machines, so that what is mounted from there can be written; for another,
# 'docker run --user' takes any number, which is why everyone may write to /reports.
RUN groupadd --gid 1000 screenrig \
    && useradd --uid 1000 --gid 1000 --no-create-home --home-dir / --shell /usr/sbin/nologin screenrig \
    && install -d -m 1777 /reports
COPY --from=build /image/screenrig /usr/local/bin/screenrig
# A library that is missing ends the build here, not the first run.
RUN ["screenrig", "--version"]
COPY rigs /rigs

LABEL org.opencontainers.image.title="screenrig" \
    org.opencontainers.image.description="Puts thousands of virtual living rooms in front of a sign-in service" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"

# 'rigs/smoke.yaml' and the default folder 'reports' are relative to here.
WORKDIR /
USER 1000:1000
# Ctrl-C and 'docker stop' reach screenrig through tini, and a run ends with its report. Without tini screenrig would be
# process 1, which gets no signal that it has no handler for: 'calibrate' or 'judge' would run on.
ENTRYPOINT ["tini", "--", "screenrig"]
CMD ["--help"]
