// Lines over the events of a trace, with axes and a guide that reads the values out.
const LineChart = (() => {
  const MARGIN = { top: 10, right: 12, bottom: 36, left: 62 };

  function scales(width, height, chart) {
    const ticksX = Units.ticks(chart.events, width < 420 ? 3 : 5).filter((tick) => tick <= chart.events && Number.isInteger(tick));
    const max = Math.max(...chart.series.flatMap((series) => series.values.filter((v) => v !== null)), 0);
    const ticksY = chart.share ? [0, 0.25, 0.5, 0.75, 1] : Units.ticks(max, 4, 1024);
    const top = ticksY[ticksY.length - 1];
    const x = (event) => MARGIN.left + (event / chart.events) * (width - MARGIN.left - MARGIN.right);
    const y = (value) => height - MARGIN.bottom - (value / top) * (height - MARGIN.top - MARGIN.bottom);
    return { ticksX, ticksY, x, y };
  }

  function axes(svg, width, height, scale, format) {
    for (const tick of scale.ticksY) {
      const y = Math.round(scale.y(tick)) + 0.5;
      svg.append(
        s("line", { class: tick === 0 ? "axis" : "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }),
        s("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, format(tick)),
      );
    }
    const base = height - MARGIN.bottom;
    for (const tick of scale.ticksX) {
      const x = Math.round(scale.x(tick)) + 0.5;
      svg.append(
        s("line", { class: "axis", x1: x, x2: x, y1: base, y2: base + 5 }),
        s("text", { x, y: base + 18, "text-anchor": "middle" }, Units.events(tick)),
      );
    }
    svg.append(s("text", { x: width - MARGIN.right, y: height - 2, "text-anchor": "end" }, "events of the trace →"));
  }

  function path(series, scale) {
    let d = "";
    series.values.forEach((value, i) => {
      if (value === null) return;
      d += (d ? "L" : "M") + scale.x(series.at[i]).toFixed(1) + " " + scale.y(value).toFixed(1);
    });
    return d;
  }

  function lines(svg, chart, scale) {
    for (const series of chart.series) {
      const d = path(series, scale);
      if (!d) continue;
      if (series.area) {
        const first = scale.x(series.at[0]).toFixed(1);
        const last = scale.x(series.at[series.at.length - 1]).toFixed(1);
        svg.append(s("path", { class: "area", d: `${d}L${last} ${scale.y(0)}L${first} ${scale.y(0)}Z` }));
      }
      svg.append(s("path", { class: "line-" + series.key, d }));
    }
  }

  /** The index of the entry of the ascending list `at` that is nearest to `event`. */
  function nearest(at, event) {
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle] < event) low = middle + 1;
      else high = middle;
    }
    return low > 0 && event - at[low - 1] < at[low] - event ? low - 1 : low;
  }

  function readOut(list, chart, event, marks, scale) {
    const items = [];
    marks.replaceChildren();
    let shown = event;
    for (const series of chart.series) {
      const i = nearest(series.at, event);
      shown = chart.series[0] === series ? series.at[i] : shown;
      const value = series.values[i];
      items.push(h("li", {}, Kinds.sample(series.key), series.name + " ", h("b", {}, value === null ? Units.NONE : chart.format(value))));
      if (value !== null) marks.append(s("circle", { class: "at dot-" + series.key, r: 4, cx: scale.x(series.at[i]), cy: scale.y(value) }));
    }
    const x = scale.x(shown);
    marks.prepend(s("line", { class: "guide", x1: x, x2: x, y1: scale.y(scale.ticksY[scale.ticksY.length - 1]), y2: scale.y(0) }));
    list.replaceChildren(...items, h("li", { class: "when" }, "after event " + Units.count(shown)));
  }

  /** `chart`: title, events, share, format, series of {key, name, at, values, area}, start. */
  function make(chart) {
    const box = h("div", { class: "chart", tabindex: "0", role: "img", "aria-label": chart.title + ". Arrow keys move the guide." });
    const list = h("ul", { class: "readout" });
    let event = chart.start;
    let redraw = () => {};
    const moveTo = (next) => {
      event = Math.max(0, Math.min(chart.events, next));
      redraw();
    };
    Dom.onWidth(box, (width) => {
      const height = Math.round(Math.max(190, Math.min(270, width * 0.5)));
      const scale = scales(width, height, chart);
      const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" });
      const marks = s("g", {});
      axes(svg, width, height, scale, chart.format);
      lines(svg, chart, scale);
      svg.append(marks);
      box.replaceChildren(svg);
      redraw = () => readOut(list, chart, event, marks, scale);
      redraw();
    });
    const point = (pointer) => {
      const bounds = box.getBoundingClientRect();
      const inner = bounds.width - MARGIN.left - MARGIN.right;
      moveTo(((pointer.clientX - bounds.left - MARGIN.left) / inner) * chart.events);
    };
    box.addEventListener("pointermove", point);
    box.addEventListener("pointerdown", point);
    box.addEventListener("keydown", (key) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[key.key];
      if (!by) return;
      key.preventDefault();
      moveTo(event + (by * chart.events) / 100);
    });
    return [box, list];
  }

  return { make };
})();
