internal import Rendering

/// The dashboard: one page that holds its style and its script, and asks nobody but this process.
enum Page {
    static let text = """
        \(PageHead(title: "screenrig", scripts: .asServed, sheet: style).text)
        <body>
        <header>
        <p class="over" id="target">screenrig · live</p>
        <h1 id="title">A run</h1>
        <div class="verdict" id="verdict" role="status"><p id="headline">Waiting for the first second …</p>\
        <p class="path" id="path" hidden></p></div>
        <div class="bar" id="bar" role="progressbar" aria-label="Progress of the run" aria-valuemin="0" \
        aria-valuemax="100"><i></i></div>
        <p class="clock"><span id="clock">0:00</span><span id="waits"></span></p>
        <form class="control of-run" id="control" hidden aria-label="Control of the run">
        <button type="button" data-do="pause">Pause arrivals</button>
        <button type="button" data-do="resume">Resume arrivals</button>
        <label>Households/s <input id="rate" inputmode="decimal" size="6"></label>\
        <button type="button" data-do="rate">Set rate</button>
        <label>Event <input id="mark" size="12" maxlength="40" placeholder="rollout"></label>\
        <button type="button" data-do="mark">Mark</button>
        <button type="button" data-do="stop" class="bad">Stop the run</button>
        <output id="answer" role="status"></output></form>
        <dl class="facts" id="facts"></dl>
        <noscript><p class="note">This page draws with a script. Without one, <a href="/state.json">state.json</a> \
        has the same numbers.</p></noscript>
        </header>
        <main>
        <section class="of-search" aria-labelledby="search-h"><h2 id="search-h">The search</h2>
        <p class="lead" id="phase"></p><ol class="breaches" id="found"></ol>
        <h3 id="curve-of"></h3><dl class="funnel" id="curve"></dl></section>
        <section class="of-run" aria-labelledby="promises-h"><h2 id="promises-h">Promises</h2>
        <p class="lead" id="judged">No checks yet.</p><ol class="breaches" id="breaches"></ol></section>
        <section class="of-run" aria-labelledby="thresholds-h"><h2 id="thresholds-h">Thresholds so far</h2>
        <p class="lead bad" id="invalidity" hidden></p><ul class="causes" id="thresholds"></ul>
        <p class="lead" id="undecided"></p></section>
        <section class="of-run" aria-labelledby="households-h"><h2 id="households-h">Households</h2>
        <p class="lead" id="planned"></p><dl class="funnel" id="states"></dl></section>
        <section aria-labelledby="time-h"><h2 id="time-h">Timeline</h2>
        <p class="lead" id="step"></p><div id="charts"></div></section>
        <section aria-labelledby="latency-h"><h2 id="latency-h">Latency by operation</h2>
        <p class="lead">Of the run so far, from the moment a request was due.</p>
        <div class="scroll" role="region" tabindex="0" aria-label="Latency by operation"><table>
        <thead><tr><th scope="col">Operation</th><th scope="col" class="n">Count</th>\
        <th scope="col" class="n">Errors</th><th scope="col" class="n">Responses/s</th>\
        <th scope="col" class="n">p50 <span class="unit">ms</span></th>\
        <th scope="col" class="n">p95 <span class="unit">ms</span></th>\
        <th scope="col" class="n">p99 <span class="unit">ms</span></th>\
        <th scope="col" class="n">max <span class="unit">ms</span></th></tr></thead>
        <tbody id="operations"></tbody></table></div></section>
        <section aria-labelledby="errors-h"><h2 id="errors-h">Errors</h2>
        <p class="lead" id="error-count">None so far.</p><ul class="causes" id="causes"></ul></section>
        </main>
        <footer>Served by the run itself, on this machine only. Its report is written when it ends.</footer>
        <script>
        \(Plot.script)\(script)</script>
        </body>
        </html>

        """

    static let script = String(decoding: PackageResources.dashboard_js, as: UTF8.self)
    private static let style = String(decoding: PackageResources.dashboard_css, as: UTF8.self)
}
