// Canvases as sharp as the screen, painted at most once a frame of the browser.
const Canvas = (() => {
  /** Returns a function that asks for `paint(context, width, height)` at the next frame. */
  function painter(canvas, paint) {
    let isAsked = false;
    const draw = () => {
      isAsked = false;
      const ratio = window.devicePixelRatio || 1;
      const width = canvas.clientWidth;
      const height = canvas.clientHeight;
      if (width === 0) return;
      const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
      const context = canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      paint(context, width, height);
    };
    const ask = () => {
      if (!isAsked) requestAnimationFrame(draw);
      isAsked = true;
    };
    new ResizeObserver(ask).observe(canvas);
    Theme.onChange(ask);
    return ask;
  }

  const COLOURS = ["--heap", "--slab", "--buddy", "--arc", "--state-free-edge", "--state-split-edge"];

  /** A quiet colour for a name, the same each time. */
  function colourOf(name) {
    let hash = 7;
    for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    return Theme.colour(COLOURS[hash % COLOURS.length]);
  }

  return { painter, colourOf, COLOURS };
})();
