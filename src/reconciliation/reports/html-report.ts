import { createHash } from 'node:crypto';
import type { Break } from '../break';
import { SEVERITIES } from '../break';
import type { Report } from '../report';
import { NO_TALLY, tallied } from '../tally';
import { barChart } from './bar-chart';
import type { Bar } from './bar-chart';
import { barsByAge, barsByAmount, barsByClass } from './charts';
import { breaksSection, notAskedSection } from './html-breaks';
import { totalsSection } from './html-totals';
import { PAGE_STYLE } from './page-style';
import { readableAmount, readableCount, readableTime } from './readable';
import { SafeHtml, html } from './safe-html';

/**
 * One page that needs nothing else: no network, no script (its own policy forbids both), charts drawn as SVG. Every
 * value is escaped.
 */
export function htmlReport(report: Report): string {
  const { asOf, from, to, outcome } = report;
  const styleHash = createHash('sha256').update(PAGE_STYLE).digest('base64');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'sha256-${new SafeHtml(styleHash)}'"
        />
        <title>Reconciliation as of ${readableTime(asOf)}: ${outcome}</title>
        ${new SafeHtml(`<style>${PAGE_STYLE}</style>`)}
      </head>
      <body>
        <main>
          <header>
            <h1>Reconciliation</h1>
            <span class="outcome ${outcome}">${outcome}</span>
            <p>
              As of <time datetime="${asOf}">${readableTime(asOf)}</time>. Window ${readableTime(from)} to
              ${readableTime(to)}.
            </p>
          </header>
          ${tiles(report)} ${charts(report)} ${totalsSection(report.totals)} ${breaksSection(report)}
          ${notAskedSection(report)} ${chainSection(report)}
          <footer>Amounts are Argentine pesos unless another currency is named. Times are UTC.</footer>
        </main>
      </body>
    </html> `;
  return page.markup;
}

/** The values to keep outside the journal. */
function chainSection({ chain }: Report): SafeHtml {
  if (chain === null) return html``;
  return html`<section>
    <h2>Chain of reports</h2>
    <p class="proof">
      Link ${chain.sequence}, ${readableCount(chain.records, 'record')} since the one before, up to event
      ${chain.cursor ?? '–'}. Head: ${chain.sha256}
    </p>
  </section>`;
}

const unresolved = (all: readonly Break[]): Break[] => all.filter(({ state }) => state !== 'resolved');

function tiles({ totals, breaks: all, breaksOpened, breaksResolved, notAskedCount }: Report): SafeHtml {
  const open = unresolved(all);
  const atStake = open.reduce((tally, { amount }) => tallied(tally, amount), NO_TALLY);
  const urgent = open.filter(({ severity }) => severity === 'critical').length;
  const tile = (value: string, ...said: string[]): SafeHtml =>
    html`<div class="tile"><b>${value}</b>${said.map((one) => html`<span>${one} </span>`)}</div>`;
  const plain = (count: number): string => readableAmount(`${count}.00`).slice(0, -3);
  return html`<div class="tiles">
    ${tile(plain(totals.transfers.count), totals.transfers.count === 1 ? 'transfer' : 'transfers', `${readableAmount(totals.transfers.amount)} ordered`)}
    ${tile(plain(open.length), open.length === 1 ? 'break' : 'breaks', `${urgent} critical`)}
    ${tile(readableAmount(atStake.amount), 'pesos at stake', `${breaksOpened} opened, ${breaksResolved} resolved by this run`)}
    ${tile(plain(notAskedCount), 'not checked', notAskedCount === 0 ? 'no gap in this run' : 'listed below')}
  </div>`;
}

function charts({ breaks: all, asOf }: Report): SafeHtml {
  if (unresolved(all).length === 0) return html``;
  const chart = (title: string, bars: readonly Bar[]): SafeHtml =>
    html`<section>
      <h2>${title}</h2>
      ${barChart(title, bars)}
    </section>`;
  const byAmount = barsByAmount(all);
  return html`<ul class="legend">
      ${[...SEVERITIES].reverse().map((severity) => html`<li class="of-${severity}">${severity}</li>`)}
    </ul>
    <div class="charts">
      ${chart('Breaks by class', barsByClass(all))}
      <div>
        ${chart('Breaks by age', barsByAge(all, asOf))}
        ${byAmount.length === 0 ? '' : chart('Pesos at stake by class', byAmount)}
      </div>
    </div>`;
}
