// Memory in address order at chosen moments: a strip an allocator and moment, a cell a stretch of addresses.
const MemoryMap = (() => {
  const LEVELS = 35;

  function mix(from, to, share) {
    const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const [a, b] = [parse(from), parse(to)];
    return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * share)).join(",")})`;
  }

  const shareOf = (letter) => parseInt(letter, 36) / LEVELS;

  function paint(canvas, moment, key) {
    const context = canvas.getContext("2d");
    const [empty, full] = [Theme.colour("--grid"), Theme.colour("--" + key)];
    context.clearRect(0, 0, canvas.width, 1);
    [...moment.cells].forEach((letter, i) => {
      const share = shareOf(letter);
      context.fillStyle = share === 0 ? empty : mix(empty, full, 0.18 + 0.82 * share);
      context.fillRect(i, 0, 1, 1);
    });
  }

  function describe(map, moment, i) {
    const from = Units.bytes(i * moment.bytes_per_cell);
    return `${map.name}, ${moment.label}: ${Units.bytes(moment.bytes_per_cell)} at ${from}, ${Units.percent(shareOf(moment.cells[i]))} live`;
  }

  function strip(map, moment, widest, say) {
    const canvas = h("canvas", {
      width: moment.cells.length,
      height: 1,
      style: `width:${((moment.cells.length / widest) * 100).toFixed(2)}%`,
      role: "img",
      "aria-label": `${map.name} at ${moment.label}: ${Units.bytes(moment.live)} live in ${Units.bytes(moment.reserved)}`,
    });
    canvas.addEventListener("pointermove", (pointer) => {
      const bounds = canvas.getBoundingClientRect();
      const i = Math.floor(((pointer.clientX - bounds.left) / bounds.width) * moment.cells.length);
      if (i >= 0 && i < moment.cells.length) say(describe(map, moment, i));
    });
    const draw = () => paint(canvas, moment, map.key || map.name);
    draw();
    Theme.onChange(draw);
    return h("div", { class: "strip" }, h("span", { title: "after event " + Units.count(moment.at) }, moment.label), canvas);
  }

  function make(trace) {
    const readout = h("p", { class: "note", "aria-live": "off" }, "Point at a strip to read a cell.");
    const say = (text) => { readout.textContent = text; };
    const maps = trace.allocators.filter((allocator) => allocator.moments.length > 0);
    const widest = Math.max(1, ...maps.flatMap((map) => map.moments.map((moment) => moment.cells.length)));
    const groups = maps.map((map) => {
      const last = map.moments.find((moment) => moment.label === "peak") || map.moments[0];
      return h(
        "div",
        { class: "map" },
        h("h4", {}, Kinds.sample(map.key || map.name), map.name, h("span", { class: "range" }, `at the peak ${Units.bytes(last.live)} live in ${Units.bytes(last.reserved)}${last.regions > 1 ? `, ${Units.count(last.regions)} pieces` : ""}`)),
        map.moments.map((moment) => strip(map, moment, widest, say)),
      );
    });
    return [h("div", { class: "maps" }, groups), readout];
  }

  return { make };
})();
