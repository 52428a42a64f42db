// The timeline: a row for each thread, bars for scopes, those within others below them.
const Threads = (() => {
  const [LANE, GAP, LABEL, TOP] = [17, 10, 96, 20];
  /** How much time is kept, and how much is shown at first and at least, in nanoseconds. */
  const [KEPT, SHOWN, LEAST] = [4e9, 6e7, 2e3];
  const FIRST = ["main", "render"];
  const canvas = document.getElementById("thread-chart");
  const tip = document.getElementById("thread-tip");
  const follow = document.getElementById("threads-follow");
  const threads = new Map();
  let last = 0;
  let skipped = 0;
  let width = SHOWN;
  let end = 0;
  let isFollowing = true;
  /** Whether the time shown is that of some frames, until a person chooses another. */
  let isFitting = true;
  let drag = null;
  const paint = Canvas.painter(canvas, draw);

  function add(value) {
    skipped += value.skipped;
    for (const { name, number, spans } of value.threads) {
      const key = name + "/" + number;
      if (!threads.has(key)) threads.set(key, { name, spans: [], depth: 1 });
      const thread = threads.get(key);
      for (const [index, start, ns, depth, core] of spans) {
        thread.spans.push({ name: value.names[index], start, end: start + ns, depth, core });
        thread.depth = Math.max(thread.depth, depth + 1);
        // What is shown ends with a whole frame.
        if (depth === 0 && name === FIRST[0]) last = Math.max(last, start + ns);
      }
    }
    sort();
    for (const thread of threads.values()) {
      const from = thread.spans.findIndex((span) => span.end > last - KEPT);
      if (from > 256) thread.spans.splice(0, from);
    }
    if (isFollowing) end = last;
    const height = TOP + [...threads.values()].reduce((sum, thread) => sum + thread.depth * LANE + GAP, 0);
    if (canvas.style.height !== height + "px") canvas.style.height = height + "px";
    paint();
  }

  /** The main thread is the first row, the one that draws the second; others by name. */
  function sort() {
    const rank = (name) => { const place = FIRST.indexOf(name); return place < 0 ? FIRST.length : place; };
    const sorted = [...threads].sort(([, a], [, b]) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
    if (sorted.every(([key], index) => key === [...threads.keys()][index])) return;
    threads.clear();
    sorted.forEach(([key, thread]) => threads.set(key, thread));
  }

  const start = () => end - width;

  /** Shows about three frames, however long they are. */
  Connection.on("frames", () => {
    const wanted = Math.min(Math.max(Frames.median() * 3.2, 1e6), KEPT);
    if (isFitting && isFollowing && (wanted > width * 1.3 || wanted < width * 0.7)) width = wanted;
  });

  function draw(context, total, height) {
    const inner = total - LABEL;
    const x = (ns) => LABEL + ((ns - start()) / width) * inner;
    const [ink, soft, grid, card] = ["--ink", "--soft", "--grid", "--card"].map(Theme.colour);
    context.font = "12px " + Theme.colour("--sans");
    context.textBaseline = "middle";
    context.textAlign = "left";
    scale(context, x, [total, height], [soft, grid]);
    let top = TOP;
    for (const thread of threads.values()) {
      context.fillStyle = ink;
      context.fillText(thread.name, 0, top + LANE / 2);
      context.save();
      context.beginPath();
      context.rect(LABEL, top, inner, thread.depth * LANE);
      context.clip();
      for (let index = thread.spans.length - 1; index >= 0; index -= 1) {
        const span = thread.spans[index];
        if (span.end < start()) break;
        if (span.start <= end) bar(context, span, [x(span.start), x(span.end)], top, card);
      }
      context.restore();
      top += thread.depth * LANE + GAP;
    }
    const left = skipped > 0 ? ", " + Units.count(skipped) + " scopes were too many to be sent" : "";
    document.getElementById("thread-range").textContent = threads.size > 0 ? Units.time(width) + " shown" + left : "";
  }

  function scale(context, x, [total, height], [soft, grid]) {
    const ticks = Units.ticks(width / 1e3, Math.max(2, Math.floor((total - LABEL) / 130)));
    const step = ticks[1] * 1e3;
    const from = Math.ceil(start() / step) * step;
    for (let at = from; at <= end; at += step) {
      context.fillStyle = grid;
      context.fillRect(Math.round(x(at)), TOP - 4, 1, height - TOP);
      context.fillStyle = soft;
      const text = (at - from) / 1e6;
      if (x(at) < total - 60) context.fillText("+" + Number(text.toPrecision(4)) + " ms", x(at) + 4, 8);
    }
  }

  function bar(context, span, [from, to], top, card) {
    const [left, right] = [Math.max(from, LABEL), to];
    const wide = Math.max(right - left, 1);
    const y = top + span.depth * LANE;
    context.globalAlpha = 0.9;
    context.fillStyle = Canvas.colourOf(span.name);
    context.fillRect(left, y, Math.max(wide - 0.5, 0.75), LANE - 2);
    context.globalAlpha = 1;
    if (wide > 34) {
      context.save();
      context.beginPath();
      context.rect(left, y, wide - 3, LANE);
      context.clip();
      context.fillStyle = card;
      context.fillText(span.name, left + 5, y + LANE / 2 - 0.5);
      context.restore();
    }
  }

  /** The scope at a place of the canvas, and its thread. */
  function at(px, py) {
    const inner = canvas.clientWidth - LABEL;
    const time = start() + ((px - LABEL) / inner) * width;
    const pixel = width / inner;
    let top = TOP;
    for (const thread of threads.values()) {
      const depth = Math.floor((py - top) / LANE);
      if (depth >= 0 && depth < thread.depth) {
        const span = thread.spans.findLast((one) => one.depth === depth && one.start - pixel <= time && one.end + pixel >= time);
        return span ? { span, thread } : null;
      }
      top += thread.depth * LANE + GAP;
    }
    return null;
  }

  function setFollowing(following) {
    isFollowing = following;
    follow.setAttribute("aria-pressed", String(following));
    if (following) [end, isFitting] = [last, true];
    paint();
  }

  /** Shows more or less time around a place, which stays where it is. */
  function zoom(factor, share) {
    isFitting = false;
    const next = Math.min(Math.max(width * factor, LEAST), KEPT);
    const around = start() + width * share;
    if (!isFollowing) end = around + next * (1 - share);
    width = next;
    paint();
  }

  function show(frame) {
    isFitting = false;
    width = frame.ns * 1.1;
    end = frame.start + frame.ns * 1.05;
    if (isFollowing) setFollowing(false);
    else paint();
  }

  function pointAt(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [px] = pointAt(event);
    if (isFollowing) setFollowing(false);
    zoom(Math.exp(event.deltaY * 0.0015), Math.min(Math.max((px - LABEL) / (canvas.clientWidth - LABEL), 0), 1));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, end };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (drag && Math.abs(event.clientX - drag.x) > 2) {
      if (isFollowing) setFollowing(false);
      end = drag.end - ((event.clientX - drag.x) / (canvas.clientWidth - LABEL)) * width;
      return paint();
    }
    const [px, py] = pointAt(event);
    const found = px > LABEL ? at(px, py) : null;
    tip.hidden = !found;
    if (!found) return undefined;
    const { span, thread } = found;
    const core = span.core === null ? "" : ", core " + span.core;
    tip.replaceChildren(h("b", {}, span.name), " " + Units.time(span.end - span.start), h("br"), h("span", {}, thread.name + core));
    tip.style.left = Math.min(px + 12, canvas.clientWidth - 190) + "px";
    tip.style.top = py + 14 + "px";
    return undefined;
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: -0.2, ArrowRight: 0.2 };
    if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 0.7 : 1.4, 0.5);
    else if (moves[event.key]) {
      setFollowing(false);
      end += moves[event.key] * width;
      paint();
    } else return;
    event.preventDefault();
  });
  follow.addEventListener("click", () => setFollowing(!isFollowing));
  document.getElementById("threads-longest").addEventListener("click", () => Frames.chooseLongest());
  Frames.onChoose(show);
  Connection.on("scopes", add);
  return {};
})();
