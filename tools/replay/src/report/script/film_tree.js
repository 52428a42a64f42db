// Draws one step of a film: a row a level, a box a block, each free list as a chain of arcs.
const FilmTree = (() => {
  const NAMES = { ".": "absent", f: "free", s: "split", a: "allocated" };
  const LETTERS = { f: "F", s: "S", a: "A" };

  function layout(film, width) {
    const narrow = width < 560;
    const left = narrow ? 34 : 116;
    const right = narrow ? 50 : 70;
    const row = narrow ? (film.levels > 5 ? 36 : 42) : film.levels > 5 ? 46 : 54;
    const top = 26;
    return { narrow, left, right, row, top, width, inner: width - left - right, height: top + film.levels * row + 6 };
  }

  function place(at, block) {
    const level = FilmSteps.levelOf(block);
    const w = at.inner / 2 ** level;
    const x = at.left + (block - (2 ** level - 1)) * w;
    return { level, x, y: at.top + level * at.row + 5, w, h: at.row - 10 };
  }

  function frame(film, at) {
    const svg = s("svg", { viewBox: `0 0 ${at.width} ${at.height}`, height: at.height, role: "img", "aria-label": "Tree of blocks, a row a level" });
    svg.append(s("text", { x: at.left - 15, y: 14, "text-anchor": "middle", style: "fill:var(--arc)" }, at.narrow ? "free" : "free list"));
    for (let level = 0; level < film.levels; level += 1) {
      const y = at.top + level * at.row + at.row / 2 + 4;
      if (!at.narrow) svg.append(s("text", { x: 0, y }, "level " + level));
      svg.append(s("text", { x: at.width, y, "text-anchor": "end" }, Units.bytes(film.region_bytes / 2 ** level)));
    }
    return svg;
  }

  function blocks(film, at) {
    const list = [];
    for (let block = 0; block < 2 ** film.levels - 1; block += 1) {
      const { x, y, w, h: height } = place(at, block);
      const gap = w > 8 ? 1 : 0.25;
      const rect = s("rect", { class: "block absent", x: x + gap, y, width: Math.max(1, w - 2 * gap), height, rx: w > 12 ? 3 : 1 }, s("title", {}));
      const asked = s("rect", { class: "asked", x: x + gap + 1, y: y + 1, width: 0, height: height - 2, rx: w > 12 ? 2 : 0.5 });
      const letter = w >= 15 ? s("text", { class: "letter", x: x + w / 2, y: y + height / 2 + 4 }) : null;
      list.push({ rect, asked, letter, w: w - 2 * gap });
    }
    return list;
  }

  function arcs(film, at, step) {
    const group = s("g", {});
    step.lists.forEach((list, level) => {
      const mid = at.top + level * at.row + at.row / 2;
      group.append(
        s("rect", { class: list.length ? "bin" : "bin empty", x: at.left - 28, y: mid - 11, width: 22, height: 22, rx: 4 }),
        s("text", { class: "bin-count", x: at.left - 17, y: mid + 4 }, list.length ? String(list.length) : ""),
      );
      let [x0, y0] = [at.left - 6, mid];
      for (const block of list) {
        const spot = place(at, block);
        const x1 = spot.x + spot.w / 2;
        const bend = Math.min(at.row * 0.9, 10 + Math.abs(x1 - x0) / 5);
        group.append(
          s("path", { class: "arc", d: `M${x0} ${y0}C${x0 + (x1 - x0) * 0.2} ${mid - bend} ${x1 - (x1 - x0) * 0.2} ${mid - bend} ${x1} ${mid}` }),
          s("circle", { class: "end", cx: x1, cy: mid, r: Math.min(3, Math.max(1.5, spot.w / 4)) }),
        );
        [x0, y0] = [x1, mid];
      }
    });
    return group;
  }

  function paint(film, boxes, step) {
    boxes.forEach((box, block) => {
      const letter = step.states[block];
      const name = NAMES[letter] || "absent";
      const size = film.region_bytes / 2 ** FilmSteps.levelOf(block);
      const asked = letter === "a" ? step.asked.get(block) : undefined;
      box.rect.setAttribute("class", `block ${name}${step.touched.includes(block) ? " touched" : ""}`);
      box.rect.firstChild.textContent = name === "absent" ? "" : `block ${block}, ${Units.bytes(size)}: ${name}${asked ? `, ${Units.bytes(asked)} asked` : ""}`;
      const share = letter === "a" ? Math.min(1, (asked === undefined ? size : asked) / size) : 0;
      box.asked.setAttribute("width", Math.max(0, (box.w - 2) * share));
      if (box.letter) {
        const listed = letter === "f" && step.lists[FilmSteps.levelOf(block)].includes(block);
        box.letter.textContent = listed ? "" : LETTERS[letter] || "";
        box.letter.setAttribute("class", "letter " + name);
      }
    });
  }

  /** Returns the element and a function that shows a step in it. */
  function make(film) {
    const element = h("div", { class: "tree" });
    let shown = null;
    let draw = () => {};
    Dom.onWidth(element, (width) => {
      const at = layout(film, width);
      const svg = frame(film, at);
      const boxes = blocks(film, at);
      for (const box of boxes) svg.append(box.rect, box.asked);
      for (const box of boxes) if (box.letter) svg.append(box.letter);
      let lists = s("g", {});
      svg.append(lists);
      element.replaceChildren(svg);
      draw = () => {
        if (shown === null) return;
        paint(film, boxes, shown);
        const next = arcs(film, at, shown);
        lists.replaceWith(next);
        lists = next;
      };
      draw();
    });
    return { element, show: (step) => { shown = step; draw(); } };
  }

  function key() {
    const swatch = (name) => s("svg", { viewBox: "0 0 18 18", "aria-hidden": "true", class: "swatch" }, s("rect", { class: "block " + name, x: 1, y: 1, width: 16, height: 16, rx: 3 }), name === "allocated" ? s("rect", { class: "asked", x: 2, y: 2, width: 10, height: 14, rx: 2 }) : null);
    return h(
      "ul",
      { class: "key tree" },
      h("li", {}, swatch("free"), "F free"),
      h("li", {}, swatch("split"), "S split in two"),
      h("li", {}, swatch("allocated"), "A allocated; the dark part was asked for, the pale part is rounding"),
      h("li", {}, s("svg", { viewBox: "0 0 26 18", "aria-hidden": "true" }, s("path", { class: "arc", d: "M2 15C7 2 18 2 24 15" })), "free list, first to last"),
    );
  }

  return { make, key };
})();
