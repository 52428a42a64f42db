// Numbers as people read them. Bytes are in powers of 1024, counts in powers of 1000.
const Units = (() => {
  const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];
  const NONE = "–";

  const plain = (value, digits) =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

  const digitsFor = (value) => (value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2);

  function bytes(value) {
    let unit = 0;
    while (value >= 1024 && unit < BYTES.length - 1) {
      value /= 1024;
      unit += 1;
    }
    const digits = Number.isInteger(value) ? 0 : digitsFor(value);
    return plain(value, digits) + " " + BYTES[unit];
  }

  function events(value) {
    if (value >= 1e6) return plain(value / 1e6, Number.isInteger(value / 1e6) ? 0 : value >= 1e7 ? 1 : 2) + " M";
    if (value >= 1e4) return plain(value / 1e3, 0) + " k";
    return plain(value, 0);
  }

  const count = (value) => plain(value, 0);
  const ns = (value) => plain(value, value >= 100 ? 0 : 1);
  const ratio = (value) => plain(value, 2);
  const percent = (share) => plain(share * 100, share !== 0 && share < 0.0995 ? 1 : 0) + " %";

  /** A time given in nanoseconds, in the unit that suits it. */
  function time(value) {
    if (value >= 1e6) return plain(value / 1e6, value >= 1e8 ? 0 : 1) + " ms";
    if (value >= 1e3) return plain(value / 1e3, value >= 1e5 ? 0 : 1) + " µs";
    return plain(value, 0) + " ns";
  }

  /** Round ticks from 0 to at least `max`, `wanted` of them or a few more; `base` 1024 for bytes. */
  function ticks(max, wanted, base) {
    if (!(max > 0)) return [0, 1];
    let unit = 1;
    while (base && max / unit >= base) unit *= base;
    const rough = max / unit / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999) * unit;
    const list = [];
    for (let i = 0; i * step < max + step * 0.999; i += 1) list.push(i * step);
    return list;
  }

  return { NONE, bytes, events, count, ns, ratio, percent, time, ticks };
})();
