// The four kinds of rows, told apart by a shape and a word as well as by a colour.
const Kinds = (() => {
  const SHAPES = { ours: "●", strategy: "◆", peer: "○", loop: "–" };
  const WORDS = {
    ours: "ours",
    strategy: "strategy of ours",
    peer: "peer",
    loop: "the replay loop alone",
  };

  const glyph = (kind) =>
    h("span", { class: "kind " + kind, role: "img", "aria-label": WORDS[kind] || kind, title: WORDS[kind] || kind }, SHAPES[kind] || "·");

  /** A name behind the shape of its kind, with places at which a narrow column may break it. */
  const named = (kind, name) =>
    h("span", { class: "named" }, glyph(kind), h("span", {}, name.split(/(?<=[_+-])/).flatMap((part, i) => (i > 0 ? [h("wbr"), part] : [part]))));

  const legend = () =>
    h(
      "ul",
      { class: "legend" },
      h("li", {}, glyph("ours"), "one allocator of Loligo"),
      h("li", {}, glyph("strategy"), "a strategy: allocators of Loligo composed"),
      h("li", {}, glyph("peer"), "a peer, for comparison"),
    );

  /** The short line before a name that is drawn in charts: same colour and dashes. */
  const sample = (name) =>
    s("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" }, s("path", { d: "M1 5H25", class: "line-" + name, fill: "none", "stroke-width": "2.5", stroke: name === "live" ? "var(--live)" : null }));

  return { named, legend, sample };
})();
