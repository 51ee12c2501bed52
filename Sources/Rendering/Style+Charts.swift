extension Style {
    /// Lines, areas, fields and labels of the drawings.
    package static let charts = """
        .grid{stroke:var(--hair)}.mark{stroke:var(--line)}
        .tick{fill:var(--faint)}.label{fill:var(--ink);font-size:12.5px}
        .line{fill:none;stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
        .spark .line{stroke-width:1.25}
        .area{opacity:.13}.leader{fill:none;stroke-width:1;opacity:.45}
        .other{stroke:var(--faint);opacity:.5;stroke-width:1.1}
        .bar{fill:var(--s1);opacity:.82}.pin{stroke:var(--ink);stroke-dasharray:3 3}
        .line.s1,.leader.s1{stroke:var(--s1)}.line.s2,.leader.s2{stroke:var(--s2)}
        .line.s3,.leader.s3{stroke:var(--s3)}.line.s4,.leader.s4{stroke:var(--s4)}
        .line.s5,.leader.s5{stroke:var(--s5)}.line.s6,.leader.s6{stroke:var(--s6)}
        .line.bad{stroke:var(--bad)}
        .area.s1,.dot.s1,.label.s1{fill:var(--s1)}.area.s2,.dot.s2,.label.s2{fill:var(--s2)}
        .area.s3,.dot.s3,.label.s3{fill:var(--s3)}.area.s4,.dot.s4,.label.s4{fill:var(--s4)}
        .area.s5,.dot.s5,.label.s5{fill:var(--s5)}.area.s6,.dot.s6,.label.s6{fill:var(--s6)}
        .area.bad,.dot.bad{fill:var(--bad)}
        i.s1{background:var(--s1)}i.s2{background:var(--s2)}i.s3{background:var(--s3)}
        i.s4{background:var(--s4)}i.s5{background:var(--s5)}i.s6{background:var(--s6)}
        svg.time{touch-action:pan-y;cursor:crosshair}.win .line,.win .stage{vector-effect:non-scaling-stroke}
        .stage{stroke:var(--faint);stroke-dasharray:1.5 3;stroke-width:1}
        .label.stage-name{font-size:12px;fill:var(--soft)}.stage-name.narrow{display:none}
        .heat{fill:var(--s1)}.h0{opacity:.1}.h1{opacity:.24}.h2{opacity:.4}.h3{opacity:.58}.h4{opacity:.78}.h5{opacity:1}
        .legend i.field{width:16px;height:12px;margin:0 1px;border-radius:0;background:var(--s1)}
        .legend i.wait{background:var(--faint)}.legend i.rest{background:var(--s2)}.legend i.bad{background:var(--bad)}
        .selection{fill:var(--accent);opacity:.16}
        .waterfall rect.wait{fill:var(--faint);opacity:.55}.waterfall rect.s1{fill:var(--s1)}\
        .waterfall rect.rest{fill:var(--s2)}.waterfall rect.bad{fill:var(--bad)}
        .waterfall .device{fill:var(--ink)}
        """
}
