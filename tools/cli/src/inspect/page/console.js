// The console: a line is sent, its answer is shown; what was typed before comes back with the arrows.
const Console = (() => {
  const KEPT = 100;
  const HINT = "Tab completes, the arrows go through the history.";
  const input = document.getElementById("console-input");
  const list = document.getElementById("console-lines");
  const popup = document.getElementById("console-completions");
  const hint = document.getElementById("console-hint");
  const history = JSON.parse(localStorage.getItem("history") || "[]");
  let place = history.length;
  let draft = "";
  let found = [];
  let selected = 0;

  function print(text, kind) {
    list.append(h("li", { class: kind }, h("span", {}, text)));
    while (list.childElementCount > 500) list.firstElementChild.remove();
    list.scrollTop = list.scrollHeight;
  }

  function send() {
    const line = input.value.trim();
    close();
    if (line === "") return;
    print(line, "typed");
    if (history[history.length - 1] !== line) history.push(line);
    if (history.length > KEPT) history.shift();
    localStorage.setItem("history", JSON.stringify(history));
    place = history.length;
    input.value = "";
    hint.textContent = HINT;
    Connection.request("console", { line }).then(
      (answer) => print(answer === "" ? "done" : answer, answer === "" ? "debug" : "answer"),
      (error) => print(error.message, "error"),
    );
  }

  function close() {
    popup.hidden = true;
    found = [];
  }

  function complete() {
    found = Completion.at(input.value, input.selectionStart);
    selected = 0;
    const around = Completion.around(input.value, input.selectionStart);
    hint.textContent = around ? around.shown + ": " + around.help : HINT;
    show();
  }

  function show() {
    popup.hidden = found.length === 0;
    popup.replaceChildren(...found.map((one, index) => {
      const item = h("li", { role: "option", "aria-selected": String(index === selected) }, h("code", {}, one.shown), h("span", {}, one.help));
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        accept(index);
      });
      return item;
    }));
    const current = popup.children[selected];
    if (current) current.scrollIntoView({ block: "nearest" });
  }

  function accept(index) {
    const rest = input.value.slice(input.selectionStart);
    const { line } = found[index];
    input.value = line + rest;
    input.setSelectionRange(line.length, line.length);
    input.focus();
    complete();
  }

  /** Goes through what was typed before. */
  function remember(step) {
    if (place === history.length) draft = input.value;
    place = Math.min(Math.max(place + step, 0), history.length);
    input.value = place === history.length ? draft : history[place];
    input.setSelectionRange(input.value.length, input.value.length);
  }

  function key(event) {
    const isOpen = found.length > 0;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter") send();
    else if (event.key === "Tab" && isOpen && !event.shiftKey) accept(selected);
    else if (event.key === "Escape" && isOpen) close();
    else if (step && isOpen && !popup.hidden) {
      selected = (selected + step + found.length) % found.length;
      show();
    } else if (step) remember(step);
    else return;
    event.preventDefault();
  }

  /** Asks the game what its scripts can call. */
  function start() {
    Connection.request("functions").then(Completion.learn, () => Completion.learn([]));
  }

  input.addEventListener("keydown", key);
  input.addEventListener("input", complete);
  input.addEventListener("blur", close);
  return { start };
})();
