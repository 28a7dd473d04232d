// Elements of the page. Texts become text nodes, so that no text can become markup.

function byId(name) {
  return document.getElementById(name);
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A table whose cells are arrays of texts and elements; on narrow screens every cell is labelled by its column.
function table(label, columns, rows) {
  const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col", dir: "auto" }, name)));
  const cellOf = (cell, column) => element("td", { dir: "auto", "data-label": columns[column] }, ...cell);
  const body = rows.map((cells) => element("tr", {}, ...cells.map(cellOf)));
  const made = element("table", { "aria-label": label });
  made.append(element("thead", {}, head), element("tbody", {}, ...body));
  return made;
}

function fillSelect(select, names, chosen) {
  select.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
  if (names.includes(chosen)) select.value = chosen;
  else select.selectedIndex = names.length ? 0 : -1;
}
