// Tables of scores: columns on demand, and copies as text.

const FORMATS = {
  Markdown: (rows) => {
    const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
    return [lines[0], `|${" --- |".repeat(rows[0].length)}`, ...lines.slice(1)].join("\n");
  },
  CSV: (rows) => {
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    return rows.map((cells) => cells.map(quoted).join(",")).join("\n");
  },
  LaTeX: (rows) => {
    const lines = rows.map((cells) => `${cells.map(latex).join(" & ")} \\\\`);
    const body = [lines[0], "\\midrule", ...lines.slice(1)].join("\n");
    return `\\begin{tabular}{l${"r".repeat(rows[0].length - 1)}}\n\\toprule\n${body}\n\\bottomrule\n\\end{tabular}`;
  },
};

const LATEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "±": "$\\pm$", "–": "--",
  "<": "$<$", ">": "$>$", "−": "$-$",
};

function latex(text) {
  return text.replace(/[\\~^±–<>−]|[&%$#_{}]/g, (letter) => LATEX[letter] ?? `\\${letter}`);
}

// The shown cells of a table as rows of texts.
function cellsOf(table) {
  const shown = (cell) => getComputedStyle(cell).display !== "none";
  const text = (cell) => cell.textContent.trim().replace(/\s+/g, " ");
  return Array.from(table.rows, (row) => Array.from(row.cells).filter(shown).map(text));
}

function addTools(grid) {
  const box = element("textarea", { readonly: "", rows: "6", "aria-label": "The table as text", hidden: "" });
  const told = element("span", { role: "status", class: "quiet" });
  const buttons = Object.entries(FORMATS).map(([name, format]) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", async () => {
      box.value = format(cellsOf(grid.querySelector("table")));
      box.hidden = false;
      box.select();
      // Not every browser lets a file write to the clipboard: the text is selected for that case.
      const copied = await navigator.clipboard?.writeText(box.value).then(() => true, () => false);
      told.textContent = copied ? `Copied as ${name}.` : "Press Ctrl+C to copy.";
    });
    return button;
  });
  const tools = element("div", { class: "controls tools", role: "group", "aria-label": "This table" });
  if (grid.classList.contains("hides")) {
    const toggle = element("button", { type: "button", "aria-pressed": "false" }, "All columns");
    toggle.addEventListener("click", () => {
      toggle.setAttribute("aria-pressed", `${grid.classList.toggle("all")}`);
    });
    tools.append(toggle);
  }
  tools.append("Copy as", ...buttons, told);
  grid.after(tools, box);
}

for (const grid of document.querySelectorAll("#scores > .grid, #contrastive > .grid")) addTools(grid);
