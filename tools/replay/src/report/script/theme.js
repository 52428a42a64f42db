// Light and dark: as the system says, until the reader chooses. `#dark` and `#light` force one.
const Theme = (() => {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let chosen = null;

  const current = () => chosen || (system.matches ? "dark" : "light");

  function apply() {
    const theme = current();
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    const [sign, word] = theme === "dark" ? ["☀", " Light"] : ["☾", " Dark"];
    button.replaceChildren(sign, h("span", { class: "word" }, word));
    button.setAttribute("aria-label", "Switch to the " + (theme === "dark" ? "light" : "dark") + " theme");
    for (const listener of listeners) listener();
  }

  function start() {
    const words = location.hash.slice(1).split("&");
    chosen = words.find((word) => word === "dark" || word === "light") || null;
    apply();
    system.addEventListener("change", apply);
    document.getElementById("theme").addEventListener("click", () => {
      chosen = current() === "dark" ? "light" : "dark";
      apply();
    });
  }

  /** Calls `listener` at each change, for what is painted rather than styled. */
  const onChange = (listener) => listeners.push(listener);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  return { start, onChange, colour };
})();
