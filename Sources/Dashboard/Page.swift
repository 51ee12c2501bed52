internal import Reports
internal import Vocabulary

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
        \(script)
        </script>
        </body>
        </html>

        """

    private static let style = """
        .bar{height:6px;border-radius:3px;background:var(--line);margin:20px 0 0;overflow:hidden}
        .bar i{display:block;height:100%;width:0;background:var(--accent);border-radius:3px}
        .bar.over i{background:var(--soft)}
        .clock{display:flex;justify-content:space-between;gap:16px;max-width:none;color:var(--soft);\
        font-size:13px;margin:6px 0 0}
        .verdict .path{margin-top:8px;font-size:13px;font-weight:400;color:var(--soft);overflow-wrap:anywhere;\
        letter-spacing:0}
        .lost,.suspected{border-left-color:var(--warn);background:var(--warn-back)}
        .funnel .fill.good{background:var(--good)}.funnel .fill.bad{background:var(--bad)}\
        .funnel .fill.warn{background:var(--warn)}
        .funnel .fill.soft{background:var(--faint)}
        .breaches,.causes{margin:0;padding:0;list-style:none;max-height:420px;overflow-y:auto}
        .breaches li,.causes li{padding:10px 0;border-top:1px solid var(--hair);overflow-wrap:anywhere}
        .breaches li:first-child,.causes li:first-child{border-top:0}
        .breaches b{font-weight:600}.breaches small,.causes small{display:block;color:var(--soft);font-size:13px}
        .of-search,.searching .of-run{display:none}.searching .of-search{display:block}
        .facts .alarm dd{color:var(--bad)}
        figcaption .at{float:right;font-weight:400;color:var(--soft)}
        .cross{stroke:var(--faint);stroke-dasharray:3 3}
        .line.good{stroke:var(--good)}.area.good{fill:var(--good)}i.good{background:var(--good)}
        .line.warn{stroke:var(--warn)}.area.warn{fill:var(--warn)}i.warn{background:var(--warn)}
        i.bad{background:var(--bad)}
        @media (max-width:640px){figcaption .at{float:none;display:block}#charts svg{min-width:0;font-size:20px}\
        #states{grid-template-columns:112px 1fr auto auto;font-size:13.5px}}
        """
}
