// What a line of the console can go on with: functions of the binding table, and commands for graphs.
const Completion = (() => {
  const SHOWN = 12;
  const GRAPHS = [
    ["graph make NAME", "makes a graph"],
    ["graph add NAME VALUE", "adds a number, by the name that it is recorded under"],
    ["graph add_vector3 NAME VALUE", "adds the three numbers of a vector"],
    ["graph add_scope NAME SCOPE", "adds the milliseconds of each frame in a scope"],
    ["graph add_heap NAME HEAP", "adds the live bytes of a heap"],
    ["graph range NAME LEAST MOST", "sets the values from the lower to the upper edge"],
    ["graph history NAME COUNT", "shows the last values"],
    ["graph hide NAME", "does not draw it"],
    ["graph show NAME", "draws it again"],
    ["graph remove NAME", "removes it"],
  ];
  let functions = [];

  /** Takes the list of functions that the game has. */
  function learn(list) {
    functions = list.map((of) => ({
      name: of.name,
      shown: of.name + "(" + of.arguments.join(", ") + ")" + (of.results.length > 0 ? " → " + of.results.join(", ") : ""),
      help: of.help,
    }));
    functions.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The word before the cursor, and where it begins. */
  function word(line, cursor) {
    const found = line.slice(0, cursor).match(/[A-Za-z_][A-Za-z0-9_.]*$/);
    return found ? { text: found[0], from: found.index } : { text: "", from: cursor };
  }

  /** Returns what fits at the cursor: the text that replaces the line up to it, what is shown, and a sentence. */
  function at(line, cursor) {
    const head = line.slice(0, cursor);
    if (/^g(r(a(p(h(\s.*)?)?)?)?)?$/.test(head)) {
      const fitting = GRAPHS.filter(([command]) => {
        const fixed = command.split(" ").slice(0, 2).join(" ");
        return fixed.startsWith(head.trimStart()) && fixed !== head.trim();
      });
      if (fitting.length > 0) {
        return fitting.map(([command, help]) => ({ line: command.split(" ").slice(0, 2).join(" ") + " ", shown: command, help }));
      }
    }
    const { text, from } = word(line, cursor);
    if (text.length === 0) return [];
    const lower = text.toLowerCase();
    const begins = functions.filter((of) => of.name.toLowerCase().startsWith(lower) && of.name !== text);
    const within = functions.filter((of) => !begins.includes(of) && lower.length > 2 && of.name.toLowerCase().includes(lower) && of.name !== text);
    return [...begins, ...within].slice(0, SHOWN).map((of) => ({ line: head.slice(0, from) + of.name + "(", shown: of.shown, help: of.help }));
  }

  /** The function whose arguments are being typed, if any. */
  function around(line, cursor) {
    const found = line.slice(0, cursor).match(/([A-Za-z_][A-Za-z0-9_.]*)\([^()]*$/);
    return found ? functions.find((of) => of.name === found[1]) : undefined;
  }

  return { learn, at, around };
})();
