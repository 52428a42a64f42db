// The live bytes over the recording, cut where another phase begins, and the part that was held back.
const Phases = (() => {
  function draw(box, width, data) {
    const height = 230;
    const [left, right, top, bottom] = [66, width - 12, 20, height - 40];
    const windows = data.live_bytes.length;
    const most = Math.max(...data.live_bytes, 1);
    const scale = Units.ticks(most, 4, 1024);
    const x = (window) => left + (window / windows) * (right - left);
    const y = (bytes) => bottom - (bytes / scale[scale.length - 1]) * (bottom - top);
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": `Live bytes in ${data.phases.length} phases` });
    data.phases.forEach((from, i) => {
      const to = data.phases[i + 1] ?? windows;
      svg.append(s("rect", { class: "phase" + (i % 2 ? " odd" : ""), x: x(from), width: x(to) - x(from), y: top, height: bottom - top }, s("title", {}, `phase ${i + 1}, from event ${Units.count(Math.round((from / windows) * data.events))}`)));
    });
    for (const tick of scale) svg.append(s("line", { class: tick === 0 ? "axis" : "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), s("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, Units.bytes(tick)));
    let d = `M${left} ${bottom}`;
    data.live_bytes.forEach((bytes, i) => { d += `L${x(i + 1).toFixed(1)} ${y(bytes).toFixed(1)}`; });
    svg.append(s("path", { class: "area", d: d + `L${x(windows)} ${bottom}Z` }), s("path", { class: "line-live", d }));
    const cut = left + (data.held_back_from / data.events) * (right - left);
    svg.append(s("line", { class: "guide", x1: cut, x2: cut, y1: top - 6, y2: bottom }), s("text", { x: cut + 6, y: top - 6 }, "held back →"), s("text", { x: cut - 6, y: top - 6, "text-anchor": "end" }, "← searched on"));
    for (const tick of Units.ticks(data.events, width < 420 ? 3 : 5).filter((tick) => tick <= data.events)) svg.append(s("text", { x: left + (tick / data.events) * (right - left), y: bottom + 18, "text-anchor": "middle" }, Units.events(tick)));
    svg.append(s("text", { x: right, y: height - 4, "text-anchor": "end" }, "events of the trace →"));
    box.replaceChildren(svg);
  }

  function make(data) {
    const box = h("div", { class: "chart phases" });
    Dom.onWidth(box, (width) => draw(box, width, data));
    return box;
  }

  return { make };
})();
