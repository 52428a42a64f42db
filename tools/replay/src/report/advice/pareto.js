// Time against memory, both over the heap's: candidates, finalists, and the front that none of them beats.
const Pareto = (() => {
  const [X_TICKS, Y_TICKS] = [6, 5];

  function range(values) {
    const low = Math.min(1, ...values);
    const high = Math.max(1, ...values);
    const margin = Math.max(0.04, (high - low) * 0.08);
    return [low - margin, high + margin];
  }

  /** Round ticks inside a range that need not begin at 0. */
  function ticks([low, high], wanted) {
    const step = Units.ticks(high - low, wanted)[1];
    const list = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-6; tick += step) list.push(tick);
    return list;
  }

  function points(data) {
    const heapTried = data.tried.find((one) => one.name === "heap");
    const of = (one, bytes) => ({ name: one.name, time: one.time, bytes, one });
    const tried = heapTried && heapTried.bytes > 0 ? data.tried.map((one) => of(one, one.bytes / heapTried.bytes)) : [];
    const judged = data.judged.filter((one) => one.is_sound && one.bytes_ratio !== null && one.time !== null).map((one) => of(one, one.bytes_ratio));
    return { tried, judged };
  }

  function diamond(x, y, r) {
    return `M${x} ${y - r}l${r} ${r}-${r} ${r}-${r}-${r}z`;
  }

  /** The stairs through all that no other beats in time and memory. */
  function stairs(judged, x, y) {
    let least = Infinity;
    let d = "";
    for (const point of [...judged].sort((a, b) => a.time - b.time || a.bytes - b.bytes)) {
      if (point.bytes >= least) continue;
      d += d ? `H${x(point.time).toFixed(1)}V${y(point.bytes).toFixed(1)}` : `M${x(point.time).toFixed(1)} ${y(point.bytes).toFixed(1)}`;
      least = point.bytes;
    }
    return d;
  }

  function label(point) {
    if (point.name === "heap") return "heap";
    return point.one.chosen.length > 0 ? `${point.name} (${point.one.chosen.join(", ")})` : null;
  }

  /** Labels beside their marks, each moved down until it covers no other. */
  function labels(judged, x, y, right) {
    const taken = [];
    return judged.filter(label).sort((a, b) => y(a.bytes) - y(b.bytes)).map((point) => {
      const text = label(point);
      const long = text.length * 6.8;
      const at = x(point.time);
      const left = at + 12 + long > right ? at - 12 - long : at + 12;
      let line = y(point.bytes) - 9;
      while (taken.some((box) => left < box.left + box.long && left + long > box.left && Math.abs(line - box.line) < 14)) line += 14;
      taken.push({ left, long, line });
      return s("text", { class: "name", x: left, y: line }, text);
    });
  }

  function draw(box, width, { tried, judged }) {
    const height = Math.round(Math.max(320, Math.min(520, width * 0.62)));
    const [left, right, top, bottom] = [52, width - 12, 22, height - 46];
    const shown = tried.filter((point) => point.time <= 2.2 && point.bytes <= 2.2);
    const [times, bytes] = [range(judged.concat(shown).map((p) => p.time)), range(judged.concat(shown).map((p) => p.bytes))];
    const x = (time) => left + ((time - times[0]) / (times[1] - times[0])) * (right - left);
    const y = (ratio) => bottom - ((ratio - bytes[0]) / (bytes[1] - bytes[0])) * (bottom - top);
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": "Time against memory over those of the heap, a mark a strategy" });
    for (const tick of ticks(bytes, Y_TICKS)) svg.append(s("line", { class: Math.abs(tick - 1) < 1e-6 ? "axis" : "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), s("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(2)));
    for (const tick of ticks(times, X_TICKS)) svg.append(s("line", { class: Math.abs(tick - 1) < 1e-6 ? "axis" : "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }), s("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, tick.toFixed(2)));
    svg.append(s("text", { x: right, y: height - 8, "text-anchor": "end" }, "time above the empty loop, heap = 1 →"), s("text", { x: left - 44, y: 12 }, "↑ bytes above the live ones, heap = 1"));
    svg.append(s("path", { class: "front", d: stairs(judged, x, y) }));
    const title = (point, where) => s("title", {}, `${point.name}, ${where}: time ${Units.ratio(point.time)}, bytes ${Units.ratio(point.bytes)}`);
    for (const point of shown) svg.append(s("circle", { class: "tried", cx: x(point.time), cy: y(point.bytes), r: 2.5 }, title(point, "searched part")));
    for (const point of judged) {
      const at = [x(point.time), y(point.bytes)];
      const mark = point.name === "heap" ? s("circle", { class: "mark ours", cx: at[0], cy: at[1], r: 6 }) : s("path", { class: "mark strategy" + (point.one.chosen.length > 0 ? " chosen" : ""), d: diamond(at[0], at[1], 6) });
      mark.append(title(point, "held-back part"));
      svg.append(mark);
    }
    svg.append(...labels(judged, x, y, right));
    box.replaceChildren(svg);
  }

  function make(data) {
    const found = points(data);
    const box = h("div", { class: "scatter pareto" });
    Dom.onWidth(box, (width) => draw(box, width, found));
    return box;
  }

  return { make };
})();
