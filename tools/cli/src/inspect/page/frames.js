// The frame graph: how long the last frames took, and what of it the scopes below a frame took.
const Frames = (() => {
  const KEPT = 300;
  /** The parts that have a colour each; all others are one. */
  const SHOWN = 5;
  /** The width of the labels of the axis. */
  const LABEL = 58;
  const OWN = ["tools", "timeline"];
  const canvas = document.getElementById("frame-chart");
  const frames = [];
  let chosen = null;
  let hovered = null;
  let parts = [];
  const listeners = [];
  const paint = Canvas.painter(canvas, draw);

  function add(value) {
    for (const [start, ns, scopes] of value.frames) frames.push({ start, ns, scopes });
    if (frames.length > KEPT) frames.splice(0, frames.length - KEPT);
    if (value.frames.length > 0) {
      sum();
      paint();
      figures();
    }
  }

  const longest = () => frames.reduce((most, frame) => (most && most.ns >= frame.ns ? most : frame), null);

  /** Finds which parts take most, over all frames that are shown. */
  function sum() {
    const sums = new Map();
    for (const { scopes } of frames) {
      for (const [name, ns] of Object.entries(scopes)) sums.set(name, (sums.get(name) || 0) + ns);
    }
    const sorted = [...sums].sort((a, b) => b[1] - a[1]);
    parts = sorted.slice(0, SHOWN).map(([name, ns]) => ({ name, mean: ns / frames.length }));
  }

  function percentile(share) {
    const sorted = frames.map((frame) => frame.ns).sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  }

  function figures() {
    const [first, last] = [frames[0], frames[frames.length - 1]];
    const seconds = (last.start - first.start) / 1e9;
    const median = percentile(0.5);
    const own = frames.reduce((all, frame) => all + OWN.reduce((ns, name) => ns + (frame.scopes[name] || 0), 0), 0) / frames.length;
    const mean = frames.reduce((all, frame) => all + frame.ns, 0) / frames.length;
    const row = (term, text, kind) => h("div", { class: kind }, h("dt", {}, term), h("dd", {}, text));
    document.getElementById("frame-figures").replaceChildren(
      row("frames a second", seconds > 0 ? Units.count(Math.round((frames.length - 1) / seconds)) : Units.NONE),
      row("median", Units.time(median)),
      row("p99", Units.time(percentile(0.99))),
      row("longest", Units.time(longest().ns)),
      row("inspecting", Units.percent(own / mean), "own"),
    );
    document.getElementById("cost").textContent =
      "Inspecting costs the main thread " + Units.time(own) + " of a mean frame of " + Units.time(mean) + ": the scopes " +
      OWN.join(" and ") + ", measured by the game itself.";
    const legend = parts.map(({ name, mean }, index) => h("li", {}, swatch(Theme.colour(Canvas.COLOURS[index])), name, h("b", {}, Units.time(mean))));
    legend.push(h("li", {}, swatch(Theme.colour("--live")), "all else"));
    document.getElementById("frame-legend").replaceChildren(...legend);
  }

  function swatch(colour) {
    const square = h("i", {});
    square.style.background = colour;
    return square;
  }

  function draw(context, width, height) {
    const [left, top, bottom] = [LABEL, 18, 6];
    const inner = height - top - bottom;
    const most = longest();
    const ticks = Units.ticks(Math.max(most ? most.ns : 0, 1e6) / 1e6, 3);
    const scale = ticks[ticks.length - 1] * 1e6;
    const y = (ns) => top + inner - (ns / scale) * inner;
    context.font = "12px " + Theme.colour("--sans");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticks) {
      context.fillStyle = Theme.colour("--grid");
      context.fillRect(left, Math.round(y(tick * 1e6)), width - left, 1);
      context.fillStyle = Theme.colour("--soft");
      context.fillText(tick < 1000 ? tick + " ms" : tick / 1000 + " s", left - 8, y(tick * 1e6));
    }
    const step = (width - left) / KEPT;
    const x = (index) => width - (frames.length - index) * step;
    const colours = parts.map((_, index) => Theme.colour(Canvas.COLOURS[index]));
    const rest = Theme.colour("--live");
    frames.forEach((frame, index) => bar(context, frame, [x(index), y(0), Math.max(step - 0.5, 0.75)], inner / scale, colours, rest));
    mark(context, frames.indexOf(chosen), Theme.colour("--ink"), x, step, [top, inner]);
    if (most) longestMark(context, most, [x(frames.indexOf(most)) + step / 2, y(most.ns)], width);
  }

  /** A frame as a bar: its parts from the bottom on, then what no part has. */
  function bar(context, frame, [x, bottom, width], scale, colours, rest) {
    let at = bottom;
    let left = frame.ns;
    parts.forEach(({ name }, index) => {
      const ns = Math.min(frame.scopes[name] || 0, left);
      context.fillStyle = colours[index];
      context.fillRect(x, at - ns * scale, width, ns * scale);
      at -= ns * scale;
      left -= ns;
    });
    context.fillStyle = rest;
    context.fillRect(x, at - left * scale, width, left * scale);
  }

  function mark(context, index, colour, x, step, [top, inner]) {
    if (index < 0) return;
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.strokeRect(Math.round(x(index)) - 1.5, top + 0.5, Math.max(step, 2) + 2, inner - 1);
  }

  function longestMark(context, frame, [x, y], width) {
    const text = "longest " + Units.time(frame.ns);
    context.fillStyle = Theme.colour("--ink");
    context.beginPath();
    context.arc(x, y - 5, 2.5, 0, 2 * Math.PI);
    context.fill();
    const isRight = x > width / 2;
    context.textAlign = isRight ? "right" : "left";
    context.fillText(text, x + (isRight ? -8 : 8), Math.max(y - 6, 8));
  }

  function at(event) {
    const box = canvas.getBoundingClientRect();
    const step = (box.width - LABEL) / KEPT;
    const index = frames.length - Math.ceil((box.right - event.clientX) / step);
    return frames[index] || null;
  }

  function choose(frame) {
    if (!frame) return;
    chosen = frame;
    describe(frame);
    paint();
    for (const listener of listeners) listener(frame);
  }

  /** Says what a frame consisted of, below the graph. */
  function describe(frame) {
    const sorted = Object.entries(frame.scopes).sort((a, b) => b[1] - a[1]).slice(0, 6);
    const text = sorted.map(([name, ns]) => name + " " + Units.time(ns)).join(", ");
    document.getElementById("frame-hint").textContent = "Frame of " + Units.time(frame.ns) + ": " + text + ".";
  }

  canvas.addEventListener("click", (event) => choose(at(event)));
  canvas.addEventListener("mousemove", (event) => {
    const frame = at(event);
    if (frame && frame !== hovered) describe(frame);
    hovered = frame;
  });
  Theme.onChange(() => { if (frames.length > 0) figures(); });
  Connection.on("frames", add);
  Connection.on("refused", (topic, why) => {
    if (topic === "frames") document.getElementById("frame-hint").textContent = why;
  });

  return { onChoose: (listener) => listeners.push(listener), chooseLongest: () => choose(longest()), median: () => percentile(0.5) };
})();
