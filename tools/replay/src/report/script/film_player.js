// Plays a film: play, step and a slider, the log of calls, what is live.
const FilmPlayer = (() => {
  const STEP_MS = 500;
  const LOG_LINES = 60;
  const ICONS = {
    callBack: "M2 2h2v12H2zM14 2v12L5 8z",
    back: "M12 2v12L3 8z",
    play: "M4 2l10 6-10 6z",
    pause: "M3 2h4v12H3zM9 2h4v12H9z",
    on: "M4 2v12l9-6z",
    callOn: "M12 2h2v12h-2zM2 2v12l9-6z",
  };

  const icon = (name) => s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

  function button(name, label, act, kind) {
    return h("button", { type: "button", class: kind, "aria-label": label, title: label, onclick: act }, icon(name));
  }

  const usedAt = (film, step) => {
    let bytes = 0;
    for (let block = 0; block < step.states.length; block += 1) {
      if (step.states[block] === "a") bytes += film.region_bytes / 2 ** FilmSteps.levelOf(block);
    }
    return bytes;
  };

  /** The used bytes over the film, above the slider. */
  function track(film, steps) {
    const points = steps.map((step, i) => `${i} ${(1 - usedAt(film, step) / film.region_bytes).toFixed(3)}`);
    const last = Math.max(1, steps.length - 1);
    const now = s("line", { class: "now", x1: 0, x2: 0, y1: 0, y2: 1, "vector-effect": "non-scaling-stroke" });
    const svg = s("svg", { viewBox: `0 0 ${last} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, s("path", { class: "used", d: `M0 1L${points.join("L")}L${last} 1Z` }), now);
    return { element: h("div", { class: "track", title: "bytes in allocated blocks over the film" }, svg), mark: (i) => { now.setAttribute("x1", i); now.setAttribute("x2", i); } };
  }

  function log(element, steps, index) {
    const step = steps[index];
    const lines = [...step.lines];
    for (let i = index, call = step.call; i >= 0 && lines.length < LOG_LINES; i -= 1) {
      if (steps[i].call !== call) {
        lines.unshift(...steps[i].lines);
        call = steps[i].call;
      }
    }
    element.replaceChildren(...lines.slice(-LOG_LINES).map((line) => h("li", { class: line.kind }, line.text)));
    requestAnimationFrame(() => { element.scrollTop = element.scrollHeight; });
  }

  function counts(element, film, step) {
    const live = [...step.states].filter((state) => state === "a").length;
    const granted = usedAt(film, step);
    let asked = 0;
    step.asked.forEach((bytes) => { asked += bytes; });
    const free = step.lists.flat();
    const largest = free.length ? film.region_bytes / 2 ** Math.min(...free.map(FilmSteps.levelOf)) : 0;
    const total = free.reduce((sum, block) => sum + film.region_bytes / 2 ** FilmSteps.levelOf(block), 0);
    const items = [
      ["Blocks allocated", Units.count(live)],
      ["Bytes in them", Units.bytes(granted)],
      ["of which asked for", Units.bytes(asked)],
      ["Free bytes", Units.bytes(total)],
      ["Largest free block", Units.bytes(largest)],
      ["Scattered", total ? Units.percent(1 - largest / total) : Units.NONE],
    ];
    element.replaceChildren(...items.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  /** The stage of one film: returns its element, and `go` to show a step. */
  function stage(film, start) {
    const steps = FilmSteps.expand(film);
    const tree = FilmTree.make(film);
    const line = track(film, steps);
    const doing = h("span", { class: "doing" });
    const where = h("span", { class: "where" });
    const lines = h("ol", { class: "log", "aria-label": "Log of calls", tabindex: "0" });
    const numbers = h("dl", { class: "counts" });
    const slider = h("input", { type: "range", min: 0, max: steps.length - 1, value: 0, "aria-label": "Step of the film" });
    let index = 0;
    let timer = null;
    let pace = 1;

    function show(next) {
      index = Math.max(0, Math.min(steps.length - 1, next));
      const step = steps[index];
      tree.show(step);
      line.mark(index);
      slider.value = index;
      slider.setAttribute("aria-valuetext", `call ${step.call} of ${film.calls.length - 1}: ${step.doing}`);
      doing.textContent = step.doing;
      where.textContent = `call ${step.call} of ${film.calls.length - 1}, step ${index + 1} of ${steps.length}`;
      log(lines, steps, index);
      counts(numbers, film, step);
    }
    function stop() {
      clearTimeout(timer);
      timer = null;
      play.replaceChildren(icon("play"));
      play.setAttribute("aria-label", "Play");
    }
    function tick() {
      if (index >= steps.length - 1) return stop();
      show(index + 1);
      timer = setTimeout(tick, STEP_MS / pace);
    }
    function toggle() {
      if (timer !== null) return stop();
      if (index >= steps.length - 1) show(0);
      play.replaceChildren(icon("pause"));
      play.setAttribute("aria-label", "Pause");
      timer = setTimeout(tick, STEP_MS / pace / 2);
    }
    const by = (count) => () => { stop(); show(index + count); };
    function toCall(direction) {
      stop();
      const call = steps[index].call;
      let i = index;
      if (direction > 0) {
        while (i < steps.length - 1 && steps[i].call === call) i += 1;
        while (i < steps.length - 1 && steps[i + 1].call === steps[i].call) i += 1;
      } else {
        while (i > 0 && steps[i].call === call) i -= 1;
      }
      show(i);
    }
    const play = button("play", "Play", toggle, "play");
    const speed = h("select", { "aria-label": "Speed", onchange: () => { pace = Number(speed.value); } }, [0.5, 1, 2, 4, 8].map((n) => h("option", { value: n, selected: n === 1 }, n + "×")));
    slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });

    show(start);
    const buttons = h("div", { class: "buttons" }, button("callBack", "Back one call", () => toCall(-1)), button("back", "Back one step", by(-1)), play, button("on", "On one step", by(1)), button("callOn", "On one call", () => toCall(1)));
    const element = h(
      "div",
      {},
      tree.element,
      h("p", { class: "status" }, doing, where),
      h("div", { class: "transport" }, buttons, h("div", {}, line.element, slider), speed),
      FilmTree.key(),
      h("div", { class: "under" }, h("div", {}, h("h3", {}, "Calls"), lines), h("div", {}, h("h3", {}, "At this step"), numbers)),
    );
    return { element, stop };
  }

  /** `#film=2&step=40` opens the second film at its step 40. */
  function asked(name, most) {
    const word = location.hash.slice(1).split("&").find((each) => each.startsWith(name + "="));
    const number = word ? parseInt(word.slice(name.length + 1), 10) : NaN;
    return Number.isNaN(number) ? null : Math.max(0, Math.min(most, number));
  }

  function make(section, films) {
    const about = h("p", { class: "note" });
    const room = h("div", {});
    let current = null;
    const pick = h("select", { onchange: () => open(Number(pick.value), 0) }, films.map((film, i) => h("option", { value: i }, film.title)));
    function open(i, start) {
      if (current) current.stop();
      pick.value = String(i);
      about.textContent = films[i].about;
      current = stage(films[i], start);
      room.replaceChildren(current.element);
    }
    section.append(
      h("header", {}, h("h2", {}, "The buddy allocator, moving"), h("p", { class: "facts" }, "A buddy allocator serves a request by halving a free block until it just fits, and on a free it merges the block with its other half, its buddy, whenever that is free too. Every picture here was recorded from the real BuddyAllocator.")),
      h("div", { class: "card" }, h("div", { class: "film-head" }, h("label", {}, "Film", pick)), about, room),
    );
    open((asked("film", films.length) || 1) - 1, asked("step", 1e6) || 0);
  }

  return { make };
})();
