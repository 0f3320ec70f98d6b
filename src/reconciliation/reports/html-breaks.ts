import type { Break } from '../break';
import type { Report } from '../report';
import { readableAge, readableMoney } from './readable';
import { html } from './safe-html';
import type { SafeHtml } from './safe-html';

/** A page with more breaks becomes too large for browsers. */
const BREAKS_SHOWN_MAX = 2_000;
const NOT_ASKED_SHOWN_MAX = 200;

export function breaksSection({ breaks: all, asOf }: Report): SafeHtml {
  if (all.length === 0) return html`<section><p class="empty">No difference between the books.</p></section>`;
  const shown = all.slice(0, BREAKS_SHOWN_MAX);
  return html`<section>
    <h2>Breaks</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>severity</th>
            <th>what</th>
            <th class="n">pesos</th>
            <th class="n">known for</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((one) => breakRow(one, asOf))}
        </tbody>
      </table>
    </div>
    ${shown.length < all.length ? html`<p class="soft">${all.length - shown.length} more are in the JSON and the CSV.</p>` : ''}
  </section>`;
}

function breakRow(one: Break, asOf: string): SafeHtml {
  const { evidence, operator, note, state } = one;
  const word = operator === null ? '' : ` by ${operator}: ${note ?? ''}`;
  const proof = evidence === null ? '' : ` · evidence of ${evidence.at}, sha256 ${evidence.sha256 ?? '–'}`;
  return html`<tr class="${state}">
    <td><span class="chip of-${one.severity}">${one.severity}</span></td>
    <td class="detail">
      <b>${one.class}</b> <span class="soft">${state}${word}</span><br />${one.detail}
      <div class="proof">${one.key}${proof}</div>
    </td>
    <td class="n">${readableMoney(one.amount)}</td>
    <td class="n">${readableAge(one.firstSeen, asOf)}</td>
  </tr> `;
}

export function notAskedSection({ asOf, notAsked: all, notAskedCount }: Report): SafeHtml {
  if (notAskedCount === 0) return html``;
  const shown = all.slice(0, NOT_ASKED_SHOWN_MAX);
  return html`<section>
    <h2>Not checked</h2>
    <p class="soft">Nothing is known to be wrong with these; they could not be checked.</p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>transfer</th>
            <th>book</th>
            <th>why</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            ({ originId, book, reason }) =>
              html`<tr>
                <td>${originId}</td>
                <td>${book}</td>
                <td>${reason}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${shown.length < notAskedCount ? html`<p class="soft">and ${notAskedCount - shown.length} more: giro reconcile show ${asOf} --not-asked</p>` : ''}
  </section>`;
}
