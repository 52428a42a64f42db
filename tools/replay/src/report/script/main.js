// Puts the page together.
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  Theme.start();

  const jump = document.getElementById("jump");
  const link = (id, text) => jump.append(h("a", { href: "#" + id }, text));
  link("overview", "Overview");
  data.traces.forEach((trace, i) => link(Dom.anchor(i), trace.name));
  if (data.films.length > 0) link("film", "Buddy, moving");

  if (data.traces.length > 0) Overview.make(document.getElementById("overview"), data);
  data.traces.forEach((trace, i) => {
    document.getElementById("traces").append(TraceSection.make(trace, i, trace.best));
  });
  if (data.films.length > 0) FilmPlayer.make(document.getElementById("film"), data.films);

  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const each of jump.children) {
          if (each.hash === "#" + entry.target.id) each.setAttribute("aria-current", "true");
          else each.removeAttribute("aria-current");
        }
      }
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  document.querySelectorAll("section[id]").forEach((section) => seen.observe(section));

  document.getElementById("foot").append(
    h(
      "dl",
      {},
      h("dt", {}, "Time"), h("dd", {}, "Processor time of the replaying thread over the events; it includes the replay loop itself, which the last row of each table shows."),
      h("dt", {}, "Memory"), h("dd", {}, "Peak of anonymous memory in a process of its own, every page of every block touched, less the replayer's own, over the peak of live bytes."),
      h("dt", {}, "Worst call"), h("dd", {}, "Each call timed alone in several rounds; for each event the least, and of those the greatest."),
      h("dt", {}, "Capped"), h("dd", {}, "A row over its time cap in the first round is stopped. Its figures cover the events it did, and stay out of means."),
      h("dt", {}, "Series"), h("dd", {}, "At most 400 points a line; each point is the moment of its stretch at which most bytes were live, so peaks are exact."),
    ),
  );
  const goal = location.hash.slice(1).split("&").find((word) => word && document.getElementById(word));
  // Charts take their height once their width is known, two frames from now.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (goal) document.getElementById(goal).scrollIntoView({ behavior: "instant" });
      document.documentElement.dataset.ready = "true";
    }),
  );
})();
