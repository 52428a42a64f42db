// Builds elements. Text always goes in as text nodes, so that no name of a trace is read as markup.
const Dom = (() => {
  // The name space of drawings, taken from the mark in the header.
  const SVG = document.querySelector("svg").namespaceURI;

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
  }

  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /** Calls `draw(width)` now and whenever the width of `element` changes. */
  function onWidth(element, draw) {
    let last = 0;
    const observer = new ResizeObserver((entries) => {
      const width = Math.round(entries[0].contentRect.width);
      if (width > 0 && width !== last) {
        last = width;
        requestAnimationFrame(() => draw(width));
      }
    });
    observer.observe(element);
  }

  /** An id for the section of a trace, made of letters and digits alone. */
  const anchor = (index) => "trace-" + (index + 1);

  return { h, s, onWidth, anchor };
})();
const { h, s } = Dom;
