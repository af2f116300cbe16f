#pragma once

#include <string_view>

namespace virnucpro {

// The page follows the system's setting for light or dark pages. Print is black on white.
inline constexpr std::string_view kPageStyle = R"css(
:root { color-scheme: light dark;
  --paper: #f7f7f5; --card: #ffffff;
  --good: #1d7a4c; --bad: #b3261e; --warn: #8a5a00; --quiet: #5d6570; --control: #6b3fa0;
  --good-wash: #e3f3ea; --bad-wash: #fbe6e4; --warn-wash: #fdf0d5; --quiet-wash: #ececee;
  --control-wash: #f0e8f8; --shade: rgb(28 32 36 / 32%); }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171a; --card: #1d2125; --ink: #e6e8ea; --soft: #9fa8b2; --line: #343a41;
  --c1: #6aa9ee; --c2: #ef9561; --c3: #5fc49d; --c4: #bd93e3; --c5: #dcb14a; --c6: #ee86a3;
  --good: #7ad3a4; --bad: #ff9d94; --warn: #f1c069; --quiet: #a9b2bc; --control: #c9a6ee;
  --good-wash: #16352a; --bad-wash: #43201e; --warn-wash: #3b2d12; --quiet-wash: #2a2f35;
  --s1: #8796a8; --s2: #a79fc9; --s3: #c493bd; --s4: #e57fa6; --s5: #ff8a7d;
  --control-wash: #32243f; --shade: rgb(190 205 220 / 40%); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main, header, footer { max-width: 1180px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 28px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 2px; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 8px; }
p { margin: 4px 0 12px; }
.soft, footer { color: var(--soft); overflow-wrap: anywhere; }
nav { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 16px; }
a { color: var(--c1); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 18px 18px 10px; margin: 16px 0; }
.badge { display: inline-block; padding: 1px 9px; border-radius: 999px; font-size: .82rem;
  font-weight: 600; white-space: nowrap; color: var(--quiet); background: var(--quiet-wash); }
.badge.good { color: var(--good); background: var(--good-wash); }
.badge.bad { color: var(--bad); background: var(--bad-wash); }
.badge.warn { color: var(--warn); background: var(--warn-wash); }
.badge.control { color: var(--control); background: var(--control-wash); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 10px;
  margin: 18px 0 0; padding: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 10px 14px; display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.tiles dd { margin: 0; font-size: 1.35rem; font-weight: 650; line-height: 1.3; }
.tiles dt { color: var(--soft); font-size: .85rem; }
.warnings { background: var(--warn-wash); border-color: transparent; }
.warnings ul { margin: 0 0 8px; padding-left: 20px; overflow-wrap: anywhere; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 250px), 1fr));
  gap: 2px 28px; margin: 0 0 12px; }
.fields div { display: flex; justify-content: space-between; gap: 12px;
  border-bottom: 1px solid var(--line); padding: 4px 0; }
.fields dt { color: var(--soft); }
.fields dd { margin: 0; max-width: 75%; text-align: right; overflow-wrap: break-word; }
summary { cursor: pointer; padding: 2px 0; }
summary:focus-visible { outline: 2px solid var(--c1); outline-offset: 3px; border-radius: 4px; }
summary h2 { display: inline; }
details[open] > summary { margin-bottom: 10px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr));
  gap: 18px 26px; margin: 0 0 14px; align-items: start; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 4px; overflow-wrap: anywhere; }
figcaption span { font-weight: 400; color: var(--soft); font-size: .87rem; }
figure > svg { display: block; width: 100%; max-width: 560px; height: auto; }
figure text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.save { all: unset; cursor: pointer; color: var(--c1); font-size: .82rem; text-decoration: underline; }
.save:focus-visible { outline: 2px solid var(--c1); }
.wide-plot:focus-visible, .table:focus-visible { outline: 2px solid var(--c1); }
/* The shades at the edges show that there is more to scroll to: each is covered by a patch that
   moves with the content. */
.table { margin: 0 0 12px; }
.table, .wide-plot { overflow-x: auto; background:
    linear-gradient(to right, var(--card) 40%, transparent) left / 40px 100% no-repeat local,
    linear-gradient(to left, var(--card) 40%, transparent) right / 40px 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 18px 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 18px 100% no-repeat scroll; }
.table.long { max-height: 27rem; overflow-y: auto; border-bottom: 1px solid var(--soft); }
.table.long tbody tr:last-child td { border-bottom: 0; }
.table.long thead th { position: sticky; top: 0; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding: 4px 0; }
caption span { position: sticky; left: 0; display: inline-block; max-width: calc(100vw - 60px); }
th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; min-width: 3.6em; unicode-bidi: isolate; }
td { white-space: nowrap; }
th { color: var(--soft); font-weight: 600; overflow-wrap: normal; vertical-align: bottom; }
td.wide { min-width: 15em; white-space: normal; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
td.none { color: var(--soft); }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--c1); }
th[aria-sort=ascending] button::after { content: " \2191"; }
th[aria-sort=descending] button::after { content: " \2193"; }
.filter { display: block; margin: 0 0 10px; }
.filter input { font: inherit; width: 100%; max-width: 360px; padding: 6px 10px; color: inherit;
  background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
.under { display: block; min-width: 14em; max-width: min(26em, 100vw - 90px); color: var(--soft);
  font-size: .87em; white-space: normal; overflow-wrap: break-word; }
body:has(.table.main) { page: wide; }
@page wide { size: A4 landscape; }
@media screen { .table.main { max-height: 85vh; }
  .table.main thead th:first-child { z-index: 1; } }
@media screen and (min-width: 700px) { .table.main :is(th, td):first-child { position: sticky; left: 0;
  background: var(--card); } }
pre { margin: 0 0 12px; padding: 12px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--paper); white-space: pre-wrap; overflow-wrap: anywhere; font-size: .87rem; }
footer { padding-bottom: 30px; }
@media (max-width: 480px) { section { padding: 14px 12px 6px; } .tiles { gap: 8px;
  grid-template-columns: 1fr 1fr; } td.wide { min-width: 10em; } figure text { font-size: 13.5px; } }
@media print { :root { color-scheme: light;
  --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --c1: #1f5fa8; --c2: #b9531d;
  --c3: #20785a; --c4: #75489b; --c5: #8a6500; --c6: #a33355; --good: #14603a; --bad: #8f1d17;
  --warn: #6d4700; --quiet: #444; --control: #56308a; --good-wash: #fff; --bad-wash: #fff;
  --warn-wash: #fff; --quiet-wash: #fff; --control-wash: #fff; --s1: #7b8aa0; --s2: #8480a6; --s3: #9c6d9b; --s4: #b04a74; --s5: #b3261e; }
  body { font-size: 10pt; } nav, .filter, .save { display: none; }
  .badge { border: 1px solid currentColor; }
  details::details-content { content-visibility: visible; block-size: auto; }
  section { border: 0; padding: 0; } figure, tr, .tiles div { break-inside: avoid; }
  h2 { break-after: avoid; } .table, .wide-plot { overflow: visible;
    background: none; }
  table { font-size: 7pt; } th, td { padding: 2pt 6pt 2pt 0; min-width: 0; }
  td.wide, .under { min-width: 0; } td .badge { font-size: inherit; padding: 0 4px; } summary { list-style: none; }
  .table.long { max-height: none; overflow: visible; }
  .table.main table { font-size: 6pt; } .table.main :is(th, td) { padding-right: 4pt; }
  .table.main td:last-child { white-space: normal; } }
)css";

// This script filters a table by the text typed above it. A click on a column's head sorts the
// table by the cells' data-value, or by their text if they have no data-value. A link to a folded
// section opens the section. The script opens all sections for printing, because older browsers
// cannot do that by style. Each plot gets a button that saves the plot as a file.
inline constexpr std::string_view kPageScript = R"js(
"use strict";
const folds = Array.from(document.querySelectorAll("details"));
const openLinked = () => {
  const linked = folds.find((fold) => "#" + fold.parentElement.id === location.hash);
  if (linked) linked.open = true;
};
addEventListener("hashchange", openLinked);
openLinked();
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = folds.filter((fold) => !fold.open);
  for (const fold of unfolded) fold.open = true;
});
addEventListener("afterprint", () => { for (const fold of unfolded) fold.open = false; });
for (const figure of document.querySelectorAll("figure")) {
  const name = figure.dataset.name + ".svg";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "save";
  button.textContent = "save SVG";
  button.setAttribute("aria-label", "save SVG: " + name);
  button.addEventListener("click", () => {
    const text = new XMLSerializer().serializeToString(figure.querySelector("svg")) + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
  figure.append(button);
}
for (const table of document.querySelectorAll("table[data-filter]")) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const label = document.createElement("label");
  const input = document.createElement("input");
  const shown = document.createElement("span");
  label.className = "filter";
  input.type = "search";
  input.placeholder = "filter the rows";
  input.setAttribute("aria-label", "Filter the table");
  shown.className = "soft";
  label.append(input, " ", shown);
  table.parentElement.before(label);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) count += 1;
    }
    shown.textContent = words.length ? count + " of " + rows.length : "";
  });
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const sorted = rows.slice().sort((a, b) => {
        const x = valueOf(a, column), y = valueOf(b, column);
        const order = x < y ? -1 : x > y ? 1 : 0;
        return up ? order : -order;
      });
      body.append(...sorted);
    });
  });
}
)js";

}  // namespace virnucpro
