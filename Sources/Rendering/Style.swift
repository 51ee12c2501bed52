/// The style sheet of report.html: system fonts, one accent, colours as variables for light and
/// dark, and a version for paper.
package enum Style {
    package static let sheet = """
        :root{color-scheme:light dark;--back:#fafafb;--card:#fff;--ink:#17191e;--soft:#5b6270;\
        --faint:#686f7e;--line:#e6e8ec;--hair:#eff0f3;--accent:#4a55d0;--good:#157f3d;--bad:#d0342c;\
        --warn:#a15c07;--good-back:#edf8f0;--bad-back:#fdf0ef;--warn-back:#fdf6e7;\
        --s1:#4a55d0;--s2:#0b7a70;--s3:#b85c00;--s4:#bf2f7b;--s5:#1d72a8;--s6:#5a7514}
        @media (prefers-color-scheme:dark){:root{--back:#0e1014;--card:#15181e;--ink:#e8eaee;\
        --soft:#a2a9b6;--faint:#8a92a1;--line:#272b34;--hair:#1e222a;--accent:#8f97ff;--good:#4cc77a;\
        --bad:#ff7a70;--warn:#e9ad43;--good-back:#11231a;--bad-back:#2b1716;--warn-back:#291f0e;\
        --s1:#8f97ff;--s2:#35c2b4;--s3:#f59e4b;--s4:#f07db8;--s5:#5cb8f0;--s6:#a9c94f}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
        body{margin:0;background:var(--back);color:var(--ink);font:15px/1.55 system-ui,-apple-system,\
        "Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
        main,header,footer{max-width:1104px;margin:0 auto;padding:0 32px}
        header{padding-top:56px}
        h1,h2,h3{line-height:1.25;letter-spacing:-.012em;margin:0;font-weight:650}
        h1{font-size:30px;letter-spacing:-.02em;overflow-wrap:anywhere}
        h2{font-size:20px;margin-bottom:4px}
        h3{font-size:15px;margin:28px 0 8px}
        p{margin:0 0 12px;max-width:76ch}
        a{color:var(--accent);text-decoration:none}
        a:hover{text-decoration:underline}
        :focus-visible{outline:2px solid var(--accent);outline-offset:3px;border-radius:4px}
        code,pre{font:13px/1.55 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
        .over{color:var(--faint);font-size:13px;margin:0 0 6px}
        .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        .skip{position:absolute;left:-999px}.skip:focus{left:32px;top:12px}
        .verdict{margin:24px 0 0;padding:20px 24px;border-radius:12px;border:1px solid var(--line);\
        background:var(--card);border-left:5px solid var(--soft)}
        .verdict p{max-width:none;margin:0;font-size:19px;line-height:1.4;font-weight:600;letter-spacing:-.01em}
        .verdict ul{margin:10px 0 0;padding-left:20px;color:var(--soft)}
        .verdict li{overflow-wrap:anywhere}
        .pass{border-left-color:var(--good);background:var(--good-back)}
        .fail{border-left-color:var(--bad);background:var(--bad-back)}
        .invalid,.aborted,.observed{border-left-color:var(--warn);background:var(--warn-back)}
        .note{margin:12px 0 0;padding:12px 16px;border-radius:8px;background:var(--warn-back);max-width:none}
        .facts{display:grid;grid-template-columns:repeat(6,1fr);gap:1px;\
        margin:24px 0 0;background:var(--line);border:1px solid var(--line);border-radius:12px;overflow:hidden}
        .facts div{background:var(--card);padding:16px 20px}
        .facts dt{color:var(--soft);font-size:13px}
        .facts dd{margin:2px 0 0;font-size:22px;font-weight:620;letter-spacing:-.015em;white-space:nowrap}
        .facts dd small{font-size:13px;font-weight:400;color:var(--soft);letter-spacing:0}
        nav{margin:22px 0 0;font-size:14px}
        nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:4px 20px}
        section{margin:40px 0 0;padding:28px 28px 24px;background:var(--card);border:1px solid var(--line);border-radius:12px}
        .lead{color:var(--soft);margin-bottom:18px}
        .empty{color:var(--soft);margin:8px 0}
        .scroll{overflow-x:auto;background:linear-gradient(to right,var(--card) 40%,transparent) 0 0/44px 100% no-repeat local,\
        linear-gradient(to left,var(--card) 40%,transparent) 100% 0/44px 100% no-repeat local,\
        linear-gradient(to right,var(--line),transparent) 0 0/16px 100% no-repeat scroll,\
        linear-gradient(to left,var(--line),transparent) 100% 0/16px 100% no-repeat scroll}
        table{border-collapse:collapse;width:100%;font-size:14px}
        th,td{padding:8px 12px;text-align:left;border-bottom:1px solid var(--hair);vertical-align:top}
        th:first-child,td:first-child{padding-left:0}
        th:last-child,td:last-child{padding-right:0}
        thead th{color:var(--soft);font-weight:500;font-size:13px;border-bottom-color:var(--line);white-space:nowrap;vertical-align:bottom}
        tbody th{font-weight:500}
        tbody tr:last-child>*{border-bottom:0}
        .n{text-align:right;white-space:nowrap}
        .unit,.soft{color:var(--soft)}
        .good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
        td .good,td .bad,td .warn{font-weight:600;white-space:nowrap}td .soft:not(.wrap){white-space:nowrap}
        .name{white-space:nowrap}
        .wrap{overflow-wrap:anywhere;min-width:180px}
        figure{margin:22px 0 0}
        figcaption{font-size:14px;font-weight:550;margin-bottom:4px}
        .legend{font-weight:400;color:var(--soft);margin-left:14px}
        .legend i{display:inline-block;width:14px;height:3px;border-radius:2px;margin:0 6px 3px 8px;vertical-align:middle}
        svg{display:block;width:100%;min-width:680px;height:auto;font-size:12px;font-family:inherit}
        svg.spark{width:96px;min-width:96px;height:22px}
        .lane{stroke:var(--hair);stroke-width:1}.op{fill:var(--faint);opacity:.35}\
        .op.hit{fill:var(--s1);opacity:1}.op.last{fill:var(--bad);opacity:1}\
        .open{fill:none;stroke:var(--faint);stroke-dasharray:4 3}.belief{fill:var(--soft);font-size:10.5px}\
        .gap{stroke:var(--bad);stroke-width:1.25}.gaptext{fill:var(--bad);font-weight:600}
        \(charts)
        .funnel{display:grid;grid-template-columns:auto 1fr auto auto;gap:10px 16px;align-items:center;margin:6px 0 8px;padding:0}
        .funnel>*{margin:0}
        .funnel .track{height:22px;border-radius:5px;background:var(--hair);overflow:hidden}
        .kinds{display:grid;grid-template-columns:repeat(auto-fill,minmax(400px,1fr));gap:20px 44px}
        .kind .funnel{grid-template-columns:92px 1fr auto 56px;gap:6px 12px;font-size:13.5px}.kind .track{height:12px}
        h4{margin:0 0 6px;font-size:14px;font-weight:600;line-height:1.3}h4 .soft{font-weight:400;margin-left:8px}
        .funnel .fill{display:block;height:100%;border-radius:5px;background:var(--s1);opacity:.85}
        .error{padding:14px 0;border-top:1px solid var(--hair);margin:0}
        details.error>summary{color:var(--ink);overflow-wrap:anywhere}details.error>p{margin-top:10px}
        .error h3{margin:0 0 4px;overflow-wrap:anywhere}
        .error p{margin:0 0 8px;color:var(--soft)}
        dl.pairs{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:10px 0 0;font-size:14px}
        dl.pairs dt{color:var(--soft)}dl.pairs dd{margin:0;overflow-wrap:anywhere}
        dl.next{margin:12px 0 6px}
        details{margin-top:18px}
        summary{cursor:pointer;color:var(--accent);font-size:14px}
        pre{background:var(--back);border:1px solid var(--line);border-radius:8px;padding:16px;\
        overflow-x:auto;margin:12px 0 0;white-space:pre-wrap;overflow-wrap:anywhere}
        pre.command,pre.curl{white-space:pre;overflow-wrap:normal}
        code.command{display:block;white-space:nowrap;overflow-x:auto;overflow-wrap:normal}
        footer{padding-top:28px;padding-bottom:56px;color:var(--faint);font-size:13px}
        th button{font:inherit;color:inherit;letter-spacing:inherit;background:none;border:0;padding:0;margin:0;cursor:pointer;\
        text-align:inherit;white-space:nowrap}
        th button:hover{color:var(--ink)}th[aria-sort]{color:var(--ink)}
        th[aria-sort] button::after{content:" \\2191"}th[aria-sort=descending] button::after{content:" \\2193"}
        .brush{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center;margin:0 0 8px;\
        padding:10px 14px;border:1px solid var(--line);border-radius:8px;background:var(--card);font-size:13px}
        .brush[hidden]{display:none}.brush legend{padding:0 6px;color:var(--soft)}
        .brush label{display:flex;align-items:center;gap:8px}.brush input{width:150px;accent-color:var(--accent);margin:0}
        .brush button{font:inherit;color:var(--ink);background:var(--back);border:1px solid var(--line);border-radius:6px;\
        padding:3px 12px;cursor:pointer}.brush button:disabled{opacity:.5;cursor:default}
        .brush output{flex-basis:100%}.brush .hint{margin:0;color:var(--soft);flex-basis:100%}
        #tip{position:fixed;z-index:3;pointer-events:none;background:var(--ink);color:var(--card);font-size:12.5px;\
        line-height:1.5;padding:7px 11px;border-radius:7px;max-width:340px}
        #tip[hidden]{display:none}#tip div:first-child{font-weight:600}
        .talk{display:grid;grid-template-columns:1fr 1fr;gap:0 20px}.talk>*{min-width:0}
        .talk pre,pre.curl{margin-top:6px;padding:12px 14px;font-size:12px;max-height:360px;overflow:auto}
        .talk h4,.curl-h{margin:14px 0 0;font-size:13px;color:var(--soft);font-weight:500}
        @media (max-width:1000px){.facts{grid-template-columns:repeat(3,1fr)}}
        @media (max-width:640px){main,header,footer{padding-left:16px;padding-right:16px}\
        header{padding-top:32px}h1{font-size:24px}section{padding:20px 16px 18px;margin-top:24px}\
        .verdict{padding:16px}.verdict p{font-size:17px}.facts{grid-template-columns:repeat(2,1fr)}\
        .facts div{padding:12px 14px}.facts dd{font-size:19px}.funnel{gap:8px 10px}svg{font-size:15px}.label{font-size:15px}.waterfall text{font-size:12px}table{width:max-content;min-width:100%;max-width:760px}.talk{grid-template-columns:1fr}.kinds{grid-template-columns:1fr}\
        .kind .funnel{grid-template-columns:84px 1fr auto 52px}\
        dl.pairs{grid-template-columns:1fr;gap:0}dl.pairs dd{margin-bottom:8px}}
        @media print{:root{color-scheme:light;--back:#fff;--card:#fff;--ink:#000;--soft:#444;--faint:#666;\
        --line:#ccc;--hair:#e4e4e4;--accent:#333;--good:#157f3d;--bad:#b3261e;--warn:#8a4b00;--good-back:#f1f8f3;\
        --bad-back:#fdf3f2;--warn-back:#fdf8ec;--s1:#4a55d0;--s2:#0b7a70;--s3:#b85c00;--s4:#bf2f7b;--s5:#1d72a8;--s6:#5a7514}\
        *{print-color-adjust:exact;-webkit-print-color-adjust:exact}body{font-size:11px}nav,.skip,.brush,#tip{display:none}\
        main,header,footer{max-width:none;padding:0}header{padding-top:0}section{border:0;padding:0;margin-top:24px;border-radius:0}\
        figure,.error,tr,.verdict,.facts{break-inside:avoid}h2,h3,figcaption{break-after:avoid}\
        svg{min-width:0;font-size:14px}.label{font-size:14px}table{font-size:10px}th,td{padding:4px 5px}\
        thead th{font-size:9px}code{font-size:9.5px}h1{font-size:22px}h2{font-size:16px}h3,figcaption{font-size:12px}\
        .verdict p{font-size:15px}.facts{grid-template-columns:repeat(6,1fr)}.facts div{padding:8px 10px}\
        .facts dt,.facts dd small,.tick{font-size:9.5px}.tick,.label{font-size:14px}.facts dd{font-size:14px}\
        dl.pairs{font-size:10px}.funnel .track{height:14px}.funnel{gap:5px 12px}svg.spark{width:70px;min-width:70px}.scroll{overflow:visible;background:none}\
        summary{list-style:none;color:#000}details.always::details-content{content-visibility:visible;block-size:auto}\
        .screen-only{display:none}table{width:100%;max-width:none}.talk pre,pre.curl{max-height:none;overflow:visible;padding:8px 10px}\
        .kind .funnel{font-size:10px}.kinds{grid-template-columns:1fr 1fr}h4{font-size:11px}\
        pre,pre.command,pre.curl{font-size:9px;white-space:pre-wrap;overflow-wrap:anywhere}@page{margin:14mm}}
        """
}
