// The memory tree: for each allocator what is in use of what it holds, and how that share was in the last minute.
const MemoryTree = (() => {
  /** As many samples as a minute has, two a second. */
  const KEPT = 120;
  const [WIDE, HIGH] = [72, 18];
  const rows = document.getElementById("memory-rows");
  const histories = new Map();
  let cells = [];
  let shape = "";

  /** The list in the order of a tree, each with its depth. */
  function ordered(allocators) {
    const list = [];
    const visit = (parent, depth) => {
      allocators.forEach((of, index) => {
        if (of.parent !== parent) return;
        list.push({ of, depth, index });
        visit(index, depth + 1);
      });
    };
    visit(null, 0);
    return list;
  }

  function add(value) {
    const list = ordered(value.allocators);
    const most = Math.max(1, ...value.allocators.map((of) => of.reserved));
    for (const { of, index } of list) {
      const key = index + " " + of.name;
      if (!histories.has(key)) histories.set(key, []);
      const history = histories.get(key);
      history.push(of.fragmentation);
      if (history.length > KEPT) history.shift();
    }
    const names = list.map(({ of, depth, index }) => [index, depth, of.name].join(" ")).join("\n");
    if (names !== shape) {
      shape = names;
      cells = list.map(row);
      rows.replaceChildren(...cells.map((cell) => cell.row));
    }
    list.forEach((entry, place) => update(cells[place], entry, most));
    const roots = list.filter(({ depth }) => depth === 0);
    const held = roots.reduce((sum, { of }) => sum + of.reserved, 0);
    const figure = (term, text) => h("div", {}, h("dt", {}, term), h("dd", {}, text));
    document.getElementById("memory-figures").replaceChildren(figure("held from the system", Units.bytes(held)),
      ...textures(value.textures, figure));
    document.getElementById("library-rows").replaceChildren(...value.libraries.map((library) => h("tr", {},
      h("th", { scope: "row" }, library.name), ...["allocations", "frees"].map((key) => h("td", {}, Units.count(library[key]))),
      h("td", {}, Units.bytes(library.bytes)))));
  }

  /** Figures of the textures on the card, where there is a budget for them. */
  function textures(of, figure) {
    if (!of) return [];
    return [figure("textures", `${Units.bytes(of.bytes)} of ${Units.bytes(of.budget)}`),
      figure("textures that are whole", `${of.whole} of ${of.count}`)];
  }

  /** Makes the cells of a row, which are filled again and again. */
  function row({ of, depth }) {
    const name = h("th", { scope: "row" }, of.name);
    name.style.paddingLeft = depth * 1.1 + "rem";
    const [held, used] = [h("i", { class: "held" }), h("i", { class: "used" })];
    const [bytes, peak, blocks, part] = [h("td"), h("td"), h("td"), h("span")];
    const line = s("polyline", {});
    const graph = s("svg", { width: WIDE, height: HIGH, viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" }, line);
    const unused = h("td", {}, h("span", { class: "unused" }, graph, part));
    const track = h("td", { class: "bar" }, h("span", { class: "bar-track" }, held, used));
    return { row: h("tr", {}, name, track, bytes, peak, blocks, unused), held, used, bytes, peak, blocks, part, line };
  }

  function update(cell, { of, index }, most) {
    cell.held.style.width = (of.reserved / most) * 100 + "%";
    cell.used.style.width = (of.requested / most) * 100 + "%";
    cell.bytes.textContent = Units.bytes(of.requested);
    cell.bytes.className = of.budget !== null && of.granted > 0.9 * of.budget ? "over" : "";
    cell.bytes.title = of.budget === null ? "" : "of " + Units.bytes(of.budget);
    cell.peak.textContent = Units.bytes(of.peak);
    cell.blocks.textContent = Units.count(of.blocks);
    const history = histories.get(index + " " + of.name);
    // What takes its memory block by block from another has nothing unused.
    const isHolding = history.some((part) => part > 0.0005);
    cell.part.textContent = isHolding ? Units.percent(of.fragmentation) : "";
    if (!isHolding) return;
    const points = history.map((part, at) => `${WIDE - (history.length - 1 - at) * (WIDE / (KEPT - 1))},${1 + (1 - part) * (HIGH - 2)}`);
    cell.line.setAttribute("points", points.join(" "));
  }

  Connection.on("memory", add);
  return {};
})();
