/**
 * The page's only style: system fonts, light and dark, paper. The colours of the severities are distinguishable for
 * colour-blind people too.
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --card: #ffffff; --ink: #1b2430; --soft: #5b6675; --line: #e1e5ea;
  --critical: #a3123a; --high: #d9620f; --medium: #d8a511; --low: #7d8ea3; --good: #1d7f55; --part: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --card: #1a2029; --ink: #e6eaf0; --soft: #9aa6b5; --line: #2b3440;
    --critical: #ff5d7e; --high: #ff9447; --medium: #f2c744; --low: #8798ad; --good: #4cc38a; --part: #f2c744;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
header { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; margin-bottom: 24px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 16px; margin: 0 0 12px; }
header p { flex-basis: 100%; margin: 0; color: var(--soft); }
.outcome { border: 1.5px solid; border-radius: 999px; padding: 2px 14px; font-weight: 650; font-size: 14px; letter-spacing: 0.04em; }
.CLEAN { color: var(--good); } .BREAKS { color: var(--critical); } .PARTIAL { color: var(--part); }
.tiles, .charts { display: grid; gap: 16px; margin-bottom: 16px; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); }
.charts { grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); align-items: start; }
.charts > div { display: grid; gap: 16px; }
section, .tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px 20px; }
section { margin-bottom: 16px; min-width: 0; } .charts section { margin: 0; }
.tile b { display: block; font-size: 22px; font-weight: 650; line-height: 1.3; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.tile span, .soft { color: var(--soft); font-size: 13px; }
.tile b + span + span::before { content: "· "; }
.chart { width: 100%; height: auto; display: block; }
.chart text { fill: var(--ink); font-size: 12.5px; } .chart .value { fill: var(--soft); font-variant-numeric: tabular-nums; }
rect.critical { fill: var(--critical); } rect.high { fill: var(--high); } rect.medium { fill: var(--medium); } rect.low { fill: var(--low); }
.of-critical { --of: var(--critical); } .of-high { --of: var(--high); } .of-medium { --of: var(--medium); } .of-low { --of: var(--low); }
.legend { display: flex; gap: 16px; flex-wrap: wrap; margin: 0 0 16px; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend li::before { content: ""; display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; background: var(--of); vertical-align: -1px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; font-size: 12.5px; color: var(--soft); }
th, td { padding: 7px 16px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } td.n, th.n { text-align: right; white-space: nowrap; padding: 7px 0 7px 20px; }
.books { display: grid; gap: 20px 48px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); align-items: start; }
.books th { text-transform: capitalize; } .books .sum td { font-weight: 650; border-top: 1px solid var(--soft); }
.books td { padding-top: 4px; padding-bottom: 4px; }
.chip { display: inline-block; border-left: 4px solid var(--of); padding-left: 8px; font-weight: 600; white-space: nowrap; }
.detail { min-width: 260px; overflow-wrap: anywhere; }
.proof { color: var(--soft); font: 12px/1.5 ui-monospace, Consolas, monospace; overflow-wrap: anywhere; }
.resolved td { opacity: 0.6; }
.empty { font-size: 17px; margin: 0; } footer { color: var(--soft); font-size: 13px; }
@media (max-width: 520px) { .charts { grid-template-columns: 1fr; } main { padding: 20px 12px; } }
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; }
  body { font-size: 11px; -webkit-print-color-adjust: exact; print-color-adjust: exact; } main { max-width: none; padding: 0; }
  section, .tile { border-radius: 0; padding: 10px 12px; } .tile b { font-size: 14px; }
  .tiles { grid-template-columns: repeat(4, 1fr); } .charts, .books { grid-template-columns: 1fr 1fr; gap: 10px 20px; }
 
  tr, .charts section, .tile { break-inside: avoid; } thead { display: table-header-group; } .scroll { overflow: visible; }
}
`;
