/* page.js - the page over web.h: what is set up, what happens, what is drawn. */
var Module = (() => {
"use strict";

const Module = { onRuntimeInitialized: () => begin() };
const $ = (id) => document.getElementById(id);
const WIDTH = 100, HEIGHT = 72;        /* of the plane of the nodes */
const MARGIN = 5.3;                    /* that keeps a node whole within it */
const REST_SPEED = 4;                  /* time passes so much faster while every node rests or none has begun */
const SECONDS = 0.25;                  /* of the nodes in a second of the page, at normal speed */
const HISTORY = 500;                   /* points of a curve; then every second one is dropped */
const BLINK = 260;                     /* milliseconds that a lost message is seen */
const MOST_ROWS = 5000;               /* that are drawn; of a file the library says it */
const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");

/* Numbers of a look, in the order of web.h. */
const NUMBERS = ["time", "rounds", "bound", "boundOne", "bytes", "frames", "lost", "move", "parts", "live", "settled",
  "rowsHere", "distance"];
const SENTENCES = {
  moving: "The nodes are still on their way.",
  settled: "No node moves, and one step with all rows confirms it. Now break something.",
  elsewhere: "The nodes stand still, but a step with all rows would move them: this is not one machine’s answer.",
  failed: "A node has left the domain of its numbers.",
};

/* What messages of the library say of options of the program, in words of this page. */
const OPTIONS = [
  [/; decimal commas are read with --.*/, "; for decimal commas choose below what stands between cells"],
  [/: add such a line, or say --.*/, ": add such a line, or choose below that the first line is a row"],
  [/; --missing drop leaves such rows out/, "; choose below that such rows are left out"],
  [/; a column of text cannot be a feature: --.*/, "; name the columns of numbers below"],
  [/(; blanks do not separate cells): .*/, "$1"],
  [/the column of --columns/, "one of the columns"],
];

const ENDS = ["settled", "elsewhere", "failed"];
const ELSEWHERE = 1e-4;                /* distance of nodes that rest from one machine's answer, where theirs is another */
const NOTICE = 8000;                   /* milliseconds in which nodes notice another loss, or do not */

let web;                               /* the handle */
const page = {
  rows: [], owner: [], file: null,     /* rows drawn here; or those of a file, which the library has */
  nodes: [], links: [],                /* positions; pairs */
  chosen: 0, running: false, begun: false, mesh: true, names: [],
  awake: 0, look: null, seen: [], blink: [], history: [], every: 1, looks: 0, marks: [], cross: null, axes: [0, 1],
};

/* ---- The library ---- */

const text = (pointer) => Module.UTF8ToString(pointer);
const doubles = (pointer, n) => Module.HEAPF64.subarray(pointer / 8, pointer / 8 + n);
const integers = (pointer, n) => Module.HEAP32.subarray(pointer / 4, pointer / 4 + n);

/* What the library refuses is said in its own words. */
function must(status) {
  if (status < 0) throw new Error(text(Module._web_error(web)));
}

function attempt(what) {
  try {
    what();
    return true;
  } catch (error) {
    trouble(error.message);
    return false;
  }
}

function trouble(message) {
  $("trouble").textContent = message;
  $("trouble").hidden = !message;
}

/* ---- Numbers that are drawn ---- */

/* Uniform numbers of a seed. */
function uniform(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function normal(draw) {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

/* Four groups of rows. */
function exampleRows() {
  const draw = uniform(1000 + seed()), rows = [];
  const groups = [[-3.1, 0.9, 0.75, 0.5, 0.5], [-0.6, -1.4, 0.6, 0.55, -0.4], [0.8, 1.5, 0.85, 0.4, -0.5], [3.4, -0.9, 0.5, 0.7, 0.3]];
  for (let j = 0; j < 360; j++) {
    const [mx, my, sx, sy, r] = groups[j % 4], a = normal(draw), b = normal(draw);
    rows.push([round(mx + sx * a), round(my + sy * (r * a + Math.sqrt(1 - r * r) * b))]);
  }
  return rows;
}

const round = (x) => Math.round(x * 10000) / 10000;
const seed = () => Math.max(0, Math.min(2147483647, Math.floor(Number($("seed").value) || 0)));

/* ---- Nodes and cables ---- */

function count() {
  return page.file && page.file.named ? page.file.named : Number($("count").value);
}

function nodeName(i) {
  return page.names[i] || String(i + 1);
}

/* Positions: on a circle, on a grid, or at random but apart. */
function place(n, shape) {
  const draw = uniform(77 + seed()), nodes = [];
  if (shape === "ring" || shape === "star") {
    const first = shape === "star" ? 1 : 0;
    if (first) nodes.push([WIDTH / 2, HEIGHT / 2]);
    for (let i = first; i < n; i++) {
      const turn = (2 * Math.PI * (i - first)) / (n - first) - Math.PI / 2;
      nodes.push([WIDTH / 2 + 38 * Math.cos(turn), HEIGHT / 2 + 28 * Math.sin(turn)]);
    }
    return nodes;
  }
  const wide = gridWidth(n), high = Math.ceil(n / wide), away = shape === "grid" ? 0 : 0.3;
  for (let i = 0; i < n; i++)
    nodes.push(inside(((i % wide) + 0.5 + away * (2 * draw() - 1)) * (WIDTH / wide),
      (Math.floor(i / wide) + 0.5 + away * (2 * draw() - 1)) * (HEIGHT / high)));
  return nodes;
}

const inside = (x, y) => [Math.max(MARGIN, Math.min(WIDTH - MARGIN, x)), Math.max(MARGIN, Math.min(HEIGHT - MARGIN, y))];
const gridWidth = (n) => Math.max(1, Math.ceil(Math.sqrt((n * WIDTH) / HEIGHT) - 0.2));

function connect(nodes, shape) {
  const n = nodes.length, links = [], wide = gridWidth(n), far = Number($("radius").value);
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const near = Math.hypot(nodes[i][0] - nodes[j][0], nodes[i][1] - nodes[j][1]) <= far;
      const linked = { radius: near, star: i === 0, ring: j === i + 1 || (i === 0 && j === n - 1),
        grid: (j === i + 1 && j % wide !== 0) || j === i + wide }[shape];
      if (linked) links.push([i, j]);
    }
  return links;
}

/* The smallest radius that connects all nodes, with a few cables more. */
function enough(nodes) {
  for (let far = 12; far <= 80; far++) {
    $("radius").value = far;
    if (connected(nodes.length, connect(nodes, "radius"))) {
      $("radius").value = Math.min(80, far + 3);
      return;
    }
  }
}

function connected(n, links) {
  const seen = new Set([0]), queue = [0];
  while (queue.length) {
    const i = queue.pop();
    for (const [a, b] of links)
      for (const [from, to] of [[a, b], [b, a]])
        if (from === i && !seen.has(to)) { seen.add(to); queue.push(to); }
  }
  return seen.size === n;
}

const linkOf = (a, b) => page.links.findIndex(([i, j]) => (i === a && j === b) || (i === b && j === a));

/* New positions and cables; "as they are now" keeps what there is, as far as the nodes go. */
function arrange() {
  const n = count(), shape = $("shape").value;
  if (shape === "own") {
    const more = place(n, "radius");
    page.nodes = more.map((at, i) => page.nodes[i] || at);
    page.links = page.links.filter(([i, j]) => i < n && j < n);
  } else {
    page.nodes = place(n, shape);
    if (shape === "radius") enough(page.nodes);
    page.links = connect(page.nodes, shape);
  }
  page.chosen = Math.min(page.chosen, n - 1);
}

/* ---- Rows ---- */

/* The node of each row: strips of equal size along the first column, or at random. */
function deal() {
  const n = count(), rows = cells(), draw = uniform(500 + seed());
  if ($("deal").value === "file") return;
  const order = rows.map((_, j) => j);
  if ($("deal").value === "sorted") order.sort((a, b) => rows[a][0] - rows[b][0] || a - b);
  else for (let j = order.length - 1; j > 0; j--) {
    const k = Math.floor(draw() * (j + 1));
    [order[j], order[k]] = [order[k], order[j]];
  }
  page.owner = [];
  order.forEach((row, place_) => { page.owner[row] = Math.min(n - 1, Math.floor((place_ * n) / order.length)); });
}

function cells() {
  return page.file ? page.file.cells : page.rows;
}

const columnCount = () => (page.file ? page.file.columns.length : 2);

/* Where a row is drawn; the one column of a file across, its rows at different heights. */
function spot(row, j) {
  return columnCount() > 1 ? [row[page.axes[0]], row[page.axes[1]]] : [row[0], (0.618034 * j) % 1];
}

/* Ellipses of one column lie in the middle, for they have no height. */
function flatten(ellipses) {
  for (let k = 0; k < ellipses.length; k += 6) [ellipses[k + 2], ellipses[k + 4], ellipses[k + 5]] = [0.5, 0, 0.04];
}

/* Rows of this page go to the library; those of a file are there. */
function giveRows() {
  if (!page.file) {
    const pointer = Module._web_rows(web, page.rows.length);
    if (!pointer) must(-1);
    doubles(pointer, 2 * page.rows.length).set(page.rows.flat());
  }
  integers(Module._web_owner(web), page.owner.length).set(page.owner);
}

function readFile(bytes, name) {
  const path = "/" + name.replace(/[^\w.-]/g, "_");
  Module.FS.writeFile(path, bytes);
  const status = Module.ccall("web_read", "number", ["number", "string", "string", "string", "number", "number", "number"],
    [web, path, $("columns").value.trim(), $("node-column").value.trim(), ...["separator", "header", "missing"].map((id) => Number($(id).value))]);
  Module.FS.unlink(path);
  if (status < 0)
    throw new Error(OPTIONS.reduce((said, [words, own]) => said.replace(words, own), text(Module._web_error(web)).replace(path, name)));
  const n = Module._web_row_count(web), d = Module._web_columns(web), named = Module._web_named(web);
  const all = doubles(Module._web_cells(web), n * d), rows = [];
  for (let j = 0; j < n; j++) rows.push(Array.from(all.subarray(j * d, (j + 1) * d)));
  const columns = Array.from({ length: d }, (_, k) => text(Module._web_column(web, k)));
  page.names = Array.from({ length: named }, (_, i) => text(Module._web_node(web, i)));
  page.owner = Array.from(integers(Module._web_owner(web), n));
  page.file = { name, cells: rows, columns, named };
  page.axes = [0, Math.min(1, d - 1)];
}

function offerAxes() {
  const d = columnCount();
  $("axes").hidden = d <= 2;
  for (const [id, k] of [["axis-x", 0], ["axis-y", 1]])
    $(id).replaceChildren(...Array.from({ length: d }, (_, c) =>
      new Option(page.file ? page.file.columns[c] : `x${c + 1}`, c, false, c === page.axes[k])));
  const byFile = $("deal").querySelector("[value=file]");
  byFile.hidden = byFile.disabled = !(page.file && page.file.named);
  if (page.file && page.file.named) $("deal").value = "file";
  else if ($("deal").value === "file") $("deal").value = "sorted";
  $("count").disabled = Boolean(page.file && page.file.named);
}

/* ---- A run ---- */

function restart() {
  page.begun = false;
  trouble("");
  page.history = page.nodes.map(() => []);
  Object.assign(page, { every: 1, looks: 0, marks: [], look: null, blink: page.links.map(() => 0), seen: page.links.map(() => 0) });
  page.begun = cells().length >= Number($("components").value) && attempt(() => {
    giveRows();
    const ends = Module._web_ends(web, page.links.length);
    integers(ends, 2 * page.links.length).set(page.links.flat());
    must(Module._web_begin(web, page.nodes.length, Number($("components").value), Number($("algorithm").value), seed(),
      Number($("loss").value) / 100));
    see();
  });
  describe();
  buildNetwork();
  if (cells().length < Number($("components").value)) {
    run(false);
    say("waiting", tooFew());
  } else if (!page.begun) {
    refused();
  } else if (still.matches) hurry();
  draw();
}

/* Fewer rows than components. */
function tooFew() {
  const n = cells().length, has = n === 1 ? "one row" : `${n || "no"} rows`;
  return page.file ? `${page.file.name} has ${has}: take at most as many components.`
    : `There ${n === 1 ? "is" : "are"} ${has} yet: draw at least one for each of the ${$("components").value} components.`;
}

/* Everything again: positions, cables and the nodes of the rows. */
function rebuild() {
  arrange();
  deal();
  restart();
}

function advance(ms) {
  attempt(() => {
    must(Module._web_advance(web, ms));
    see();
  }) || refused();
}

function refused() {
  page.begun = false;
  say("failed", "The library refuses this:");
  run(false);
}

/* Without animation: on to the end, or a minute of the nodes. */
function hurry() {
  for (let k = 0; k < 600 && !(page.look && page.look.verdict === "settled"); k++) advance(100);
}

function see() {
  must(Module._web_look(web, page.axes[0], page.axes[1]));
  const n = page.nodes.length, all = n * Number($("components").value) * 6, look = {};
  NUMBERS.forEach((name, k) => { look[name] = Module._web_number(web, k); });
  look.verdict = text(Module._web_verdict(web));
  look.states = page.nodes.map((_, i) => text(Module._web_state(web, i)));
  look.part = Array.from(integers(Module._web_part(web), n));
  look.distances = Array.from(doubles(Module._web_distance(web), n));
  look.ellipses = Array.from(doubles(Module._web_ellipse(web), all));
  look.answers = Array.from(doubles(Module._web_answer(web), all));
  if (columnCount() === 1) for (const of of [look.ellipses, look.answers]) flatten(of);
  look.lostOf = Array.from(integers(Module._web_lost(web), page.links.length));
  look.cut = Array.from(Module.HEAPU8.subarray(Module._web_cut(web), Module._web_cut(web) + page.links.length));
  look.at = page.mesh ? look.time : look.rounds;
  look.lostOf.forEach((lost, e) => { if (lost > page.seen[e]) page.blink[e] = performance.now() + BLINK; });
  page.seen = look.lostOf;
  page.look = look;
  remember(look);
  say(deserted(look) ? "waiting" : look.verdict, sentence(look));
}

function remember(look) {
  if (page.looks++ % page.every) return;
  page.history.forEach((line, i) => line.push([look.at, look.distances[i]]));
  if (page.history[0].length < HISTORY) return;
  page.history = page.history.map((line) => line.filter((_, k) => k % 2 === 0));
  page.every *= 2;
}

const deserted = (look) => look.states.every((state) => state === "dead");

function sentence(look) {
  if (deserted(look)) return "No node lives: let one return.";
  if (page.mesh && look.parts > 1)
    return `The network is in ${look.parts} parts, ${look.verdict === "settled" ? "and each has settled on" : "each on its way to"} the answer of its own rows.`;
  if (look.verdict === "moving" && look.rounds === 0) return "The nodes find each other, and agree on units and starting points.";
  if (look.verdict === "moving" && look.live > 0 && look.settled === look.live) return "Something has happened that the nodes have not noticed yet.";
  if (look.verdict === "settled" && look.distance > ELSEWHERE)
    return alike(look.bound, look.boundOne) < 8 ? "The nodes have settled, on another optimum than one machine: see both bounds."
      : "The nodes have settled on an answer as good as that of one machine, whose components may have another order.";
  if (look.verdict === "settled" && look.live < page.nodes.length)
    return look.live === 1 ? "The one node that lives has settled on the answer of its own rows."
      : `The ${look.live} nodes that live have settled on the answer of their own rows.`;
  return SENTENCES[look.verdict] || "";
}

/* Said to those who listen only when it is something else. */
function say(word, what) {
  if ($("word").textContent !== word) {
    $("word").textContent = word;
    $("word").dataset.is = word;
  }
  if ($("sentence").textContent !== what) $("sentence").textContent = what;
}

function run(on) {
  page.running = on && page.begun;
  $("run").textContent = page.running ? "Pause" : "Run";
  if (page.running) requestAnimationFrame(frame);
  else setTimeout(() => fade(performance.now()), BLINK);
}

/* Nothing is lost while time stands. */
function fade(now) {
  if (!page.blink.some((until) => until)) return;
  page.blink = page.blink.map((until) => (until > now ? until : 0));
  drawNetwork(now);
}

let before = 0;
function frame(now) {
  if (!page.running) { before = 0; return; }
  const wait = still.matches ? 500 : 0;
  if (!before || now - before > 1500) before = now;
  /* At rest, or without a live node, time waits for hands. */
  if ((ENDS.includes(page.look.verdict) || deserted(page.look)) && now > page.awake) {
    before = now;
    fade(now);
  }
  if (now - before > wait) {
    const rests = page.look.settled === page.look.live || (page.mesh && page.look.rounds === 0) ? REST_SPEED : 1;
    const until = performance.now() + 25;
    if ($("speed").value === "most") do advance(100); while (page.running && performance.now() < until);
    else advance(Math.min(200, now - before) * SECONDS * rests * Number($("speed").value));
    before = now;
    draw();
  }
  requestAnimationFrame(frame);
}

/* Something happens to the nodes: in the library, where the algorithm bears it. */
function happen(what, a, b) {
  if (!page.begun) return;
  trouble("");
  const name = what === "kill" || what === "start" ? `${what === "kill" ? "kill" : "return"} ${nodeName(a)}` : `${what} ${nodeName(a)}–${nodeName(b)}`;
  attempt(() => {
    must(Module.ccall("web_event", "number", ["number", "string", "number", "number"], [web, what, a, b]));
    page.marks.push([page.look.at, name]);
    see();
  });
  if (still.matches) hurry();
  draw();
}

const killOrStart = (i) => happen(page.look && page.look.states[i] === "dead" ? "start" : "kill", i, -1);

/* A cable that there is is pulled or plugged in; one that there was not begins a new network. */
function cable(a, b) {
  const e = linkOf(a, b);
  if (a === b) return;
  if (e >= 0) {
    happen(page.look && page.look.cut[e] ? "heal" : "cut", page.links[e][0], page.links[e][1]);
    return;
  }
  page.links.push([Math.min(a, b), Math.max(a, b)]);
  $("shape").value = "own";
  restart();
  run(true);
}

/* ---- Words beside the pictures ---- */

function describe() {
  const k = Number($("algorithm").value), why = text(Module._web_algorithm_why(web, k));
  page.mesh = !why;
  $("about").textContent = text(Module._web_algorithm_title(k)) + "." + (why ? ` Simulated in rounds: ${why.replace(/^algorithm: /, "")}.` : "");
  $("unit").textContent = page.mesh ? "seconds of the nodes" : "rounds";
  for (const name of ["loss", "count", "components", "radius"]) $(`${name}-is`).textContent = $(name).value + (name === "loss" ? " %" : "");
  $("count-is").textContent = page.nodes.length;
  $("radius").disabled = $("shape").value !== "radius";
  offerAxes();
  offerNodes();
  command();
}

function offerNodes() {
  const option = (i) => new Option(`node ${nodeName(i)}`, i, false, i === page.chosen);
  $("chosen").replaceChildren(...page.nodes.map((_, i) => option(i)));
  const to = $("peer").value;
  $("peer").replaceChildren(...page.nodes.map((_, i) => i).filter((i) => i !== page.chosen)
    .sort((a, b) => (linkOf(page.chosen, b) >= 0) - (linkOf(page.chosen, a) >= 0) || a - b).map((i) =>
      new Option(`node ${nodeName(i)}${linkOf(page.chosen, i) < 0 ? " (none yet)" : ""}`, i, false, String(i) === to && linkOf(page.chosen, i) >= 0)));
}

function choose(i) {
  page.chosen = i;
  offerNodes();
  draw();
}

/* What the program is to be given for the same answer. */
function command() {
  const algorithm = text(Module._web_algorithm(Number($("algorithm").value))), loss = Number($("loss").value) / 100;
  const same = `--data rows.csv --node-column node --network links.csv --n-components ${$("components").value} --seed ${seed()} --loss ${loss}`;
  $("command").textContent = page.mesh ? `meshbayes up --virtual --algorithm ${algorithm} ${same}` : `meshbayes sim --algorithm ${algorithm} ${same}`;
  const columns = page.file ? page.file.columns : ["x1", "x2"], quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell);
  const rows = cells().map((row, j) => [quoted(nodeName(page.owner[j])), ...row].join(","));
  const links = page.links.map(([i, j]) => `${quoted(nodeName(i))},${quoted(nodeName(j))}`);
  for (const [id, lines] of [["save-rows", [["node", ...columns.map(quoted)].join(","), ...rows]], ["save-links", ["i,j", ...links]]])
    $(id).href = "data:text/csv;charset=utf-8," + encodeURIComponent(lines.join("\n") + "\n");
}

function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let k = 0;
  for (; bytes >= 1000 && k < 3; k++) bytes /= 1000;
  return `${k ? bytes.toPrecision(3) : bytes} ${units[k]}`;
}

const digitsOf = (x) => (Number.isFinite(x) ? x.toPrecision(13).replace("-", "−") : "–");

/* How many leading digits two numbers share, at most 13. */
function alike(a, b) {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return 0;
  const apart = Math.abs(a - b) / Math.max(Math.abs(b), 1e-300);
  return apart === 0 ? 13 : Math.max(0, Math.min(13, Math.floor(-Math.log10(apart))));
}

/* The digits that agree stand out. */
function bound(id, x, n) {
  const all = digitsOf(x);
  let end = 0;
  for (let seen = 0; end < all.length && seen < n; end++) seen += /\d/.test(all[end]);
  const mark = document.createElement("b");
  mark.textContent = all.slice(0, end);
  $(id).replaceChildren(mark, all.slice(end));
}

function drawNumbers() {
  const look = page.look, n = alike(look.bound, look.boundOne);
  bound("bound", look.bound, n);
  bound("bound-one", look.boundOne, n);
  $("digits").textContent = Number.isFinite(look.bound) ? (n >= 13 ? "13 or more" : n) : "–";
  $("bytes").textContent = size(look.bytes);
  $("frames").textContent = `${look.frames.toLocaleString("en")}, ${look.lost.toLocaleString("en")} lost`;
  $("move").textContent = size(look.move);
  const node = page.chosen, dead = look.states[node] === "dead", e = linkOf(node, Number($("peer").value));
  $("kill").textContent = `${dead ? "Let" : "Kill"} node ${nodeName(node)}${dead ? " return" : ""}`;
  $("cable").textContent = e < 0 ? "Lay a cable, begin again" : look.cut[e] ? "Plug it in again" : "Pull the cable";
  $("chosen-name").textContent = `node ${nodeName(node)}`;
  $("bytes-help").textContent = look.bytes > look.move
    ? "So few rows would be cheaper to move; but what nodes send does not grow with their rows." : "What nodes send does not grow with their rows.";
}

/* The pictures in words, for those who do not see them; new when the verdict is. */
let labelled = "";
function drawLabels() {
  const look = page.look, now = `${look.verdict} ${cells().length} ${page.nodes.length} ${look.live}`;
  if (now === labelled) return;
  labelled = now;
  $("rows").setAttribute("aria-label", `${cells().length} rows, and ellipses of ${$("components").value} components at ${page.nodes.length} nodes`);
  $("chart").setAttribute("aria-label", `Distance of each node over time; now the largest is ${Number.isFinite(look.distance) ? look.distance.toExponential(0) : "not known"}`);
}

let tabled = 0;
function drawTable(now) {
  if (!$("table-of").open || now - tabled < 500) return;
  tabled = now;
  const rows = page.nodes.map(() => 0);
  page.owner.forEach((i) => { rows[i]++; });
  $("table").replaceChildren(...page.nodes.map((_, i) => {
    const line = document.createElement("tr"), x = page.look.distances[i];
    [nodeName(i), page.look.states[i], rows[i], page.look.part[i] < 0 ? "–" : page.look.part[i] + 1, Number.isFinite(x) ? x.toExponential(1) : "–"]
      .forEach((what) => { line.insertCell().textContent = what; });
    return line;
  }));
}

/* ---- Pictures ---- */

let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "card", "ink", "soft", "line", "one", "each", "chosen", "dot", "lost"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
}

/* A canvas at the resolution of the screen. */
function open(id) {
  const canvas = $(id), ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
  return [pen, w, h];
}

/* From data to the canvas and back. */
function view(w, h) {
  const rows = cells();
  let box = [-5, 5, -3.6, 3.6];
  if (rows.length > 2) {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    rows.forEach((row, j) => spot(row, j).forEach((x, k) => { low[k] = Math.min(low[k], x); high[k] = Math.max(high[k], x); }));
    const room = [0, 1].map((k) => 0.1 * (high[k] - low[k]) || 1);
    box = [low[0] - room[0], high[0] + room[0], low[1] - room[1], high[1] + room[1]];
    if (!page.file) box = [Math.min(box[0], -5), Math.max(box[1], 5), Math.min(box[2], -3.6), Math.max(box[3], 3.6)];
  }
  return {
    x: (v) => ((v - box[0]) / (box[1] - box[0])) * w, y: (v) => h - ((v - box[2]) / (box[3] - box[2])) * h,
    backX: (p) => box[0] + (p / w) * (box[1] - box[0]), backY: (p) => box[2] + ((h - p) / h) * (box[3] - box[2]),
  };
}

/* Two standard deviations of a component. */
function ellipse(pen, v, at, k) {
  const [weight, mx, my, xx, xy, yy] = at.slice(6 * k, 6 * k + 6);
  if (!(weight > 0.005) || !(xx > 0)) return;
  const low = Math.sqrt(xx), slope = xy / low, rest = Math.sqrt(Math.max(0, yy - slope * slope));
  pen.beginPath();
  for (let t = 0; t <= 60; t++) {
    const c = 2 * Math.cos((t * Math.PI) / 30), s = 2 * Math.sin((t * Math.PI) / 30);
    pen.lineTo(v.x(mx + low * c), v.y(my + slope * c + rest * s));
  }
  pen.stroke();
}

function drawRows() {
  const [pen, w, h] = open("rows"), v = view(w, h), K = Number($("components").value), look = page.look;
  cells().forEach((row, j) => {
    const own = page.owner[j] === page.chosen, [across, up] = spot(row, j);
    pen.fillStyle = own ? colours.chosen : colours.dot;
    pen.globalAlpha = own ? 1 : 0.6;
    pen.beginPath();
    pen.arc(v.x(across), v.y(up), own ? 3.4 : 2.1, 0, 7);
    pen.fill();
  });
  pen.globalAlpha = 1;
  if (look && page.begun) {
    const of = (i) => look.ellipses.slice(i * K * 6, (i + 1) * K * 6);
    pen.lineWidth = 1.2;
    pen.strokeStyle = colours.each;
    pen.globalAlpha = 0.65;
    page.nodes.forEach((_, i) => { for (let k = 0; i !== page.chosen && k < K; k++) ellipse(pen, v, of(i), k); });
    pen.globalAlpha = 1;
    pen.lineWidth = 2.6;
    pen.strokeStyle = colours.chosen;
    for (let k = 0; k < K; k++) ellipse(pen, v, of(page.chosen), k);
    pen.lineWidth = 2;
    pen.strokeStyle = colours.one;
    pen.setLineDash([7, 6]);
    for (let p = 0; p < Math.max(1, look.parts); p++)
      for (let k = 0; k < K; k++) ellipse(pen, v, look.answers.slice(p * K * 6, (p + 1) * K * 6), k);
    pen.setLineDash([]);
  }
  if (page.cross && document.activeElement === $("rows")) {
    const x = v.x(page.cross[0]), y = v.y(page.cross[1]);
    pen.strokeStyle = colours.chosen;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x - 9, y); pen.lineTo(x + 9, y); pen.moveTo(x, y - 9); pen.lineTo(x, y + 9);
    pen.stroke();
  }
  if (!cells().length) {
    pen.fillStyle = colours.soft;
    pen.textAlign = "center";
    pen.fillText("Click to draw rows; each belongs to the chosen node.", w / 2, h / 2);
  }
}

const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
};

/* The elements, made once a network; drawNetwork moves and paints them. */
function buildNetwork() {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.node : undefined;
  $("links").replaceChildren(...page.links.map((link, e) => {
    const g = svg("g", {});
    const hit = svg("line", { class: "hit" });
    hit.addEventListener("click", () => cable(...page.links[e]));
    g.append(svg("line", { class: "wire" }), svg("text", {}), hit);
    return g;
  }));
  $("nodes").replaceChildren(...page.nodes.map((_, i) => {
    const g = svg("g", { tabindex: 0, role: "button", "data-node": i });
    g.append(svg("circle", { class: "ring", r: 4.9 }), svg("circle", { class: "body", r: 3.7 }), svg("text", {}));
    g.lastChild.textContent = nodeName(i).slice(0, 3);
    g.addEventListener("focus", () => choose(i));
    g.addEventListener("keydown", (event) => nodeKey(event, i));
    g.addEventListener("pointerdown", (event) => drag(event, i));
    return g;
  }));
  if (focused !== undefined && $("nodes").children[focused]) $("nodes").children[focused].focus();
  drawNetwork(performance.now());
}

function drawNetwork(now) {
  const look = page.look;
  page.links.forEach(([i, j], e) => {
    const [wire, cross, hit] = $("links").children[e].children, cut = look && look.cut[e];
    for (const line of [wire, hit])
      for (const [key, value] of [["x1", page.nodes[i][0]], ["y1", page.nodes[i][1]], ["x2", page.nodes[j][0]], ["y2", page.nodes[j][1]]]) line.setAttribute(key, value);
    wire.setAttribute("class", `wire${cut ? " cut" : ""}${!cut && !still.matches && page.blink[e] > now ? " lost" : ""}`);
    cross.textContent = cut ? "✕" : "";
    cross.setAttribute("x", (page.nodes[i][0] + page.nodes[j][0]) / 2);
    cross.setAttribute("y", (page.nodes[i][1] + page.nodes[j][1]) / 2);
  });
  page.nodes.forEach(([x, y], i) => {
    const g = $("nodes").children[i], state = look && page.begun ? look.states[i] : "absent";
    g.setAttribute("transform", `translate(${x} ${y})`);
    g.setAttribute("class", state + (i === page.chosen ? " chosen" : ""));
    const label = `Node ${nodeName(i)}: ${state}`;
    if (g.getAttribute("aria-label") !== label) g.setAttribute("aria-label", label);
    g.setAttribute("aria-pressed", String(i === page.chosen));
  });
}

const raised = (k) => String(k).replace("-", "−").replace(/[0-9−]/g, (c) => ({ "−": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" })[c]);

function drawChart() {
  const [pen, w, h] = open("chart"), left = 44, bottom = 24, top = 16;
  const last = Math.max(page.mesh ? 2 : 40, page.look ? page.look.at : 0), low = -15, high = 1;
  const x = (t) => left + (t / last) * (w - left - 8);
  const y = (d) => top + ((high - Math.max(low, Math.min(high, Math.log10(Math.max(d, 1e-300))))) / (high - low)) * (h - top - bottom);
  pen.strokeStyle = colours.line;
  pen.fillStyle = colours.soft;
  pen.lineWidth = 1;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (let k = -15; k <= 0; k += 3) {
    pen.beginPath(); pen.moveTo(left, y(10 ** k)); pen.lineTo(w - 8, y(10 ** k)); pen.stroke();
    pen.fillText(k ? `10${raised(k)}` : "1", left - 6, y(10 ** k));
  }
  pen.textAlign = "center";
  const step = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 1e5].find((s) => last / s <= 8) || last;
  for (let t = 0; t <= last; t += step) pen.fillText(Number(t.toFixed(1)), x(t), h - 10);
  page.marks.forEach(([t, name], k) => {
    pen.strokeStyle = colours.lost;
    pen.setLineDash([3, 3]);
    pen.beginPath(); pen.moveTo(x(t), top); pen.lineTo(x(t), h - bottom); pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = colours.lost;
    pen.textAlign = x(t) > w - 90 ? "right" : "left";
    pen.fillText(name, x(t) + (x(t) > w - 90 ? -4 : 4), top + 8 + 14 * (k % 3));
  });
  const line = (i) => {
    pen.beginPath();
    let down = false;
    for (const [t, d] of page.history[i]) {
      if (!Number.isFinite(d)) { down = false; continue; }
      if (down) pen.lineTo(x(t), y(d)); else pen.moveTo(x(t), y(d));
      down = true;
    }
    pen.stroke();
  };
  pen.strokeStyle = colours.each;
  pen.globalAlpha = 0.6;
  pen.lineWidth = 1.2;
  page.history.forEach((_, i) => { if (i !== page.chosen) line(i); });
  pen.globalAlpha = 1;
  pen.strokeStyle = colours.chosen;
  pen.lineWidth = 2.2;
  if (page.history[page.chosen]) line(page.chosen);
}

/* The curves, which cost most and change least, ten times a second while it runs. */
let charted = 0;
function draw() {
  const now = performance.now();
  drawRows();
  drawNetwork(now);
  if (!page.running || now - charted > 100) {
    drawChart();
    charted = now;
  }
  if (!page.look) {
    for (const id of ["bound", "bound-one", "digits", "bytes", "frames", "move"]) $(id).textContent = "–";
    return;
  }
  drawNumbers();
  drawLabels();
  drawTable(now);
}

/* ---- Hands ---- */

function moved(i, x, y) {
  page.nodes[i] = inside(x, y);
  drawNetwork(performance.now());
}

/* Cables by radius follow the node that was moved. */
function dropped() {
  if ($("shape").value !== "radius") return;
  const next = connect(page.nodes, "radius");
  if (JSON.stringify(next) === JSON.stringify(page.links)) return;
  const ran = page.running;
  page.links = next;
  restart();
  run(ran);
}

function drag(event, i) {
  const net = $("net"), began = [event.clientX, event.clientY];
  let far = false;
  choose(i);
  const move = (e) => {
    far = far || Math.hypot(e.clientX - began[0], e.clientY - began[1]) > 4;
    const box = net.getBoundingClientRect();
    if (far) moved(i, ((e.clientX - box.left) / box.width) * WIDTH, ((e.clientY - box.top) / box.height) * HEIGHT);
  };
  const up = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", up);
    if (far) dropped();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let settle = 0;
function nodeKey(event, i) {
  const way = ARROWS[event.key];
  if (way) {
    moved(i, page.nodes[i][0] + 2 * way[0], page.nodes[i][1] + 2 * way[1]);
    clearTimeout(settle);
    settle = setTimeout(dropped, 400);
  } else if (event.key === "Delete" || event.key === "Backspace") killOrStart(i);
  else if (event.key === "Enter" || event.key === " ") choose(i);
  else return;
  event.preventDefault();
}

function addRow(x, y) {
  if (page.file) {
    trouble(`These are the rows of ${page.file.name}: “Empty plane” begins a set of your own.`);
    return;
  }
  if (page.rows.length >= MOST_ROWS) {
    trouble(`This page draws at most ${MOST_ROWS.toLocaleString("en")} rows: “Empty plane” begins again, a file may have as many.`);
    return;
  }
  page.rows.push([round(x), round(y)]);
  page.owner.push(page.chosen);
  const ran = page.running;
  restart();
  run(ran || page.begun);
}

function rowsKey(event) {
  const way = ARROWS[event.key], canvas = $("rows"), v = view(canvas.clientWidth, canvas.clientHeight);
  page.cross = page.cross || [0, 0];
  if (way) page.cross = [v.backX(v.x(page.cross[0]) + 8 * way[0]), v.backY(v.y(page.cross[1]) + 8 * way[1])];
  else if (event.key === "Enter" || event.key === " ") addRow(...page.cross);
  else return;
  event.preventDefault();
  draw();
}

function useExample() {
  page.file = null;
  page.names = [];
  page.axes = [0, 1];
  page.rows = exampleRows();
}

function empty() {
  useExample();
  page.rows = [];
  page.owner = [];
  restart();
}

async function load() {
  const file = $("file").files[0], pasted = $("paste").value;
  const bytes = pasted.trim() ? pasted : file ? new Uint8Array(await file.arrayBuffer()) : null;
  if (!bytes) { trouble("Choose a file or paste rows first."); return; }
  if (!attempt(() => readFile(bytes, pasted.trim() ? "pasted.csv" : file.name))) return;
  offerAxes();
  rebuild();
  run(true);
}

function listen() {
  const on = (id, kind, what) => $(id).addEventListener(kind, what);
  on("run", "click", () => run(!page.running));
  on("step", "click", () => { run(false); if (page.begun) { advance(20); draw(); } });
  on("again", "click", () => { restart(); run(true); });
  on("kill", "click", () => killOrStart(page.chosen));
  on("cable", "click", () => cable(page.chosen, Number($("peer").value)));
  on("chosen", "change", () => choose(Number($("chosen").value)));
  on("peer", "change", draw);
  on("loss", "input", () => {
    describe();
    if (!page.begun) return;
    if (page.mesh) attempt(() => must(Module._web_lose(web, Number($("loss").value) / 100)));
    else restart();
    page.awake = performance.now() + NOTICE;
  });
  for (const id of ["algorithm", "components"]) on(id, "change", () => { restart(); run(true); });
  for (const id of ["shape", "count"]) on(id, "change", () => { rebuild(); run(true); });
  on("deal", "change", () => { deal(); restart(); run(true); });
  on("radius", "change", dropped);
  for (const id of ["components", "count", "radius"]) on(id, "input", () => { $(`${id}-is`).textContent = $(id).value; });
  on("seed", "change", () => { if (!page.file && page.isExample) page.rows = exampleRows(); rebuild(); run(true); });
  on("example", "click", () => { useExample(); page.isExample = true; rebuild(); run(true); });
  on("clear", "click", () => { page.isExample = false; empty(); });
  on("load", "click", load);
  for (const [id, k] of [["axis-x", 0], ["axis-y", 1]]) on(id, "change", () => { page.axes[k] = Number($(id).value); attempt(see); draw(); });
  on("rows", "click", (event) => {
    const canvas = $("rows"), v = view(canvas.clientWidth, canvas.clientHeight);
    addRow(v.backX(event.offsetX), v.backY(event.offsetY));
  });
  on("rows", "keydown", rowsKey);
  for (const kind of ["focus", "blur"]) on("rows", kind, () => { page.cross = page.cross || [0, 0]; draw(); });
  on("table-of", "toggle", () => { tabled = 0; draw(); });
  addEventListener("resize", draw);
  dark.addEventListener("change", () => { readColours(); draw(); });
}

function begin() {
  web = Module._web_new();
  for (let k = 0; Module._web_algorithm(k); k++)
    $("algorithm").append(new Option(text(Module._web_algorithm_label(k)), k, false, text(Module._web_algorithm(k)) === "edge"));
  $("version").textContent = text(Module._web_version());
  for (const id of ["run", "step", "again"]) $(id).disabled = false;
  $("loss").value = 10;
  readColours();
  listen();
  useExample();
  page.isExample = true;
  rebuild();
  run(true);
}

return Module;
})();
