import type { ControlTotals, Tally } from '../report';
import { NO_TALLY, mergeTallies } from '../tally';
import { readableAmount, readableCount, SUMS } from './readable';
import { html } from './safe-html';
import type { SafeHtml } from './safe-html';

/** The control totals, a table for each book, so that equal sums stand side by side. */
export function totalsSection({
  transfers,
  journal,
  bank,
  engine,
  annulments,
  statement,
}: ControlTotals): SafeHtml {
  const line = (word: string, { count, amount }: Tally): SafeHtml =>
    html`<td>${word}</td>
      <td class="n">${count}</td>
      <td class="n">${readableAmount(amount)}</td>`;
  const table = (name: string, tallies: Readonly<Record<string, Tally>>): SafeHtml => {
    const words = Object.entries(tallies).sort(([a], [b]) => (a < b ? -1 : 1));
    if (words.length === 0) return html``;
    const sum = words.reduce((total, [, tally]) => mergeTallies(total, tally), NO_TALLY);
    return html`<table>
      <thead>
        <tr>
          <th>${name}</th>
          <th class="n">count</th>
          <th class="n">pesos</th>
        </tr>
      </thead>
      <tbody>
        ${words.map(
          ([word, tally]) =>
            html`<tr>
              ${line(word, tally)}
            </tr>`,
        )}
        <tr class="sum">
          ${line('sum', sum)}
        </tr>
      </tbody>
    </table>`;
  };
  return html`<section>
    <h2>Control totals</h2>
    <p class="soft">
      The same ${readableCount(transfers.count, 'transfer')} in every book, by that book’s own status;
      ${SUMS}.
    </p>
    <div class="books">
      ${table('journal', journal)} ${table('bank', bank)} ${table('engine', engine)}
      ${annulments.count === 0 ? '' : table('annulments', { RECORDED: annulments })}
      ${table('statement', statement)}
    </div>
  </section>`;
}
