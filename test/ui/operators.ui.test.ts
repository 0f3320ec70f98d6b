import type { Page } from 'playwright-core';
import { SCENARIOS, orderOf } from '../../dev/demo/scenarios';
import type { Scenario } from '../../dev/demo/scenarios';
import { stateOf, until } from '../../dev/giro-environment';
import { startReconciliation } from '../../src/engine/reconciliation-runs';
import { reconciliationWorkflowId } from '../../src/reconciliation/run-window';
import { filters } from '../docs/filters';
import { accountsAndOwners } from '../support/made-up-party';
import { untilAnswered } from '../support/until-answered';
import { OPERATOR_KEYS, useOperatorUi } from './operator-ui';
import { TemporalUi } from './temporal-ui';

const operatorUi = useOperatorUi();

const { atOnce, failed, held, decided, hinted } = SCENARIOS;
const ORDERED = [atOnce, failed, held, decided, hinted];
const idOf = ({ originId }: Scenario): string => `transfer-${originId}`;
/** The values that reveal who pays whom, of every order of the demo. */
const PERSONAL = [...ORDERED.flatMap((scenario) => accountsAndOwners(orderOf(scenario))), 'demo:'];
const VERIFICATION = 'ui-kyc-1';
const VIEW = { width: 1280, height: 1000 };

let ui: TemporalUi;
let page: Page;

beforeAll(async () => {
  const { env, browser, uiUrl } = operatorUi();
  for (const scenario of ORDERED) await env.giro.startTransfer(orderOf(scenario));
  await env.giro.trackVerification(VERIFICATION);
  page = await browser.newPage({ viewport: VIEW, colorScheme: 'light', timezoneId: 'UTC', locale: 'en-US' });
  ui = new TemporalUi(page, uiUrl);
  const isFlagged = async ({ originId }: Scenario) => {
    await until(
      () => stateOf(env, originId),
      ({ needsAttention }) => needsAttention,
    );
  };
  await Promise.all([held, decided, hinted].map(isFlagged));
}, 150_000);

test('a filter finds the flagged ones; saved as a view it is there again', async () => {
  const filter = filters().get('all that need a person') ?? '';
  const flagged = [held, hinted, decided].map(idOf).sort();
  // The index is a moment behind; from here on it has them.
  expect(await ui.listed(filter, (ids) => ids.length === flagged.length)).toEqual(flagged);
  await ui.setColumns({ remove: ['Run ID', 'Type', 'End'], add: ['GiroStatus', 'GiroAttentionReason'] });
  // They stay in the browser.
  await ui.openList(filter);
  await page.getByRole('cell', { name: 'ECHO_MISMATCH' }).first().waitFor();
  await page.setViewportSize({ ...VIEW, height: 520 });
  await ui.picture('needs-attention');
  await page.setViewportSize(VIEW);
  await ui.typeFilter(filter);
  await ui.expectListed(flagged);
  await ui.saveView('needs a person');
  await ui.openView('needs a person');
  await ui.expectListed(flagged);
});

test('one is found by its network id, typed into the list', async () => {
  const { networkId } = await operatorUi().env.giro.waitForTransfer(failed.originId, { timeoutMs: 300_000 });
  expect(networkId).toMatch(/^\S+$/);
  const filter = (filters().get('one by network id') ?? '').replace(/'[^']*'/, `'${networkId}'`);
  expect(await ui.listed(filter, (ids) => ids.length > 0)).toEqual([idOf(failed)]);
  await ui.typeFilter(filter);
  await ui.expectListed([idOf(failed)]);
});

test('without the codec server neither order nor details can be read', async () => {
  await ui.open(idOf(held));
  // Where the order would stand.
  await page.getByText(/^"[A-Za-z0-9+/]{300,}={0,2}"$/).waitFor();
  const shown = await page.content();
  expect(PERSONAL.filter((value) => shown.includes(value))).toEqual([]);
  expect(operatorUi().codecLog).toEqual([]);
});

test('with it the order is shown, and each reading leaves a line in its log', async () => {
  await ui.setCodecServer(operatorUi().codecUrl);
  await ui.open(idOf(held));
  await page
    .getByText(`"${orderOf(held).from.address}"`)
    .first()
    .waitFor();
  expect(operatorUi().codecLog).toContainEqual(
    expect.objectContaining({
      msg: 'payloads decoded',
      namespace: 'default',
      origin: new URL(page.url()).origin,
    }),
  );
});

test('the details say what it waits for, since when, what comes next, what may be done; and name nobody', async () => {
  await ui.open(idOf(held), 'user-metadata');
  expect(await ui.metadata('summary')).toBe(`transfer ${held.originId}`);
  const details = await ui.metadata('current-details');
  expect(details).toMatch(/^held waits for an answer of the bank that clears the flag, or a decision/);
  expect(details).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC next request to the bank \d{4}-/);
  expect(details).toContain('ECHO_MISMATCH since');
  expect(details).toContain(
    `decide {"originId":${held.originId},"action":"resume","operator":"…","reason":"…"} (one operator): ask again`,
  );
  expect(details).toContain('"action":"accept-completed","operator":"…","reason":"…"} (two operators)');
  const how = await ui.metadata('details');
  expect(how).toContain('Terminate and reset decide nothing');
  await ui.picture('details', page.locator('main'));
  const seen = [details, how, await ui.mainText()];
  for (const tab of ['search-attributes', 'memo'] as const) {
    await ui.openTab(tab);
    if (tab === 'search-attributes') await page.getByText('"GiroStatus"').waitFor();
    seen.push(await ui.mainText());
  }
  expect(seen.join()).toContain('"GiroAttentionReason": "ECHO_MISMATCH"');
  expect(PERSONAL.filter((value) => seen.join().includes(value))).toEqual([]);
});

test('the details of a verification', async () => {
  await ui.open(`kyc-${VERIFICATION}`, 'user-metadata');
  expect(await ui.metadata('summary')).toBe(`identity verification ${VERIFICATION}`);
  const details = await ui.metadata('current-details');
  expect(details).toMatch(/^tracking waits for a status that means approved or rejected since /);
  expect(details).toContain('Nothing has to be done. You may:');
});

test('the details of a reconciliation and of a recovery', async () => {
  const { engine } = operatorUi().env;
  const asOf = `${new Date().toISOString().slice(0, 19)}Z`;
  const taskQueue = 'giro';
  await startReconciliation(engine, taskQueue, { asOf });
  const workflowId = reconciliationWorkflowId(asOf);
  await engine.workflow.getHandle(workflowId).result();
  await ui.open(workflowId, 'user-metadata');
  expect(await ui.metadata('current-details')).toMatch(
    /^(BREAKS|PARTIAL|CLEAN), as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC breaks opened \d+, resolved \d+; not asked \d+ /,
  );
  await engine.workflow.execute('recovery', { taskQueue, workflowId: 'recovery-by-hand' });
  await ui.open('recovery-by-hand', 'user-metadata');
  expect(await ui.metadata('current-details')).toMatch(
    /^done transfers: \d+ checked, 0 restarted, 0 could not be restarted verifications: .* Nothing has to be done\.$/,
  );
});

test('a hint from the UI brings the next look-up forward', async () => {
  const { env } = operatorUi();
  const before = await stateOf(env, hinted.originId);
  await ui.open(idOf(hinted));
  await ui.send('signal', 'movementHint', { source: 'ana', eventId: 'ticket 88' });
  const after = await until(
    () => stateOf(env, hinted.originId),
    ({ phase }) => phase === 'ended',
  );
  // At the slow cadence it would have been asked minutes later.
  expect(Date.parse(after.lastPolledAt ?? '')).toBeLessThan(Date.parse(before.nextPollAt ?? ''));
  expect(await env.giro.waitForTransfer(hinted.originId)).toMatchObject({ status: 'COMPLETED' });
});

test('two operators decide from the UI: FAILED, annulled once, by both', async () => {
  const { env } = operatorUi();
  const decision = { action: 'accept-failed', reason: 'letter of the bank' };
  await ui.open(idOf(decided));
  await ui.send('update', 'decide', { ...decision, operator: 'ana' });
  await ui.open(idOf(decided), 'user-metadata');
  expect(await ui.metadata('current-details')).toMatch(
    /proposed by ana, .* accept-failed, waits for a second/,
  );

  const dialog = await ui.compose('update', 'decide', { ...decision, operator: 'luis' });
  await ui.picture('decide', dialog);
  await dialog.getByTestId('confirm-modal-button').click();
  const result = await env.giro.waitForTransfer(decided.originId, { timeoutMs: 300_000 });
  expect(result).toMatchObject({ status: 'FAILED', decidedBy: 'operators' });
  expect(await env.journal.annulments({ since: null, after: null, limit: 1_000 })).toContainEqual(
    expect.objectContaining({ originId: decided.originId, operators: ['ana', 'luis'] }),
  );
  await ui.open(idOf(decided), 'user-metadata');
  expect(await ui.metadata('current-details')).toContain(
    `FAILED, decided by two operators, annulment ${result.annulmentId}`,
  );
});

test('two operators paste decisions that they have signed', async () => {
  const { signed } = operatorUi();
  const originId = 9_014;
  await signed.giro.startTransfer({ ...orderOf(decided), originId });
  await until(
    () => stateOf(signed, originId),
    ({ needsAttention, proposals }) => needsAttention && proposals.length === 0,
  );
  for (const [operator, key] of Object.entries(OPERATOR_KEYS)) {
    const asked = { action: 'accept-failed', operator, reason: 'letter of the bank' } as const;
    const { line, decision } = await untilAnswered(() => signed.giro.decisionToSign(originId, asked));
    await ui.open(`transfer-${originId}`);
    await ui.send('update', 'decide', { ...decision, signature: key.sign(line) });
  }
  const result = await signed.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  expect(result).toMatchObject({ status: 'FAILED', decidedBy: 'operators' });
  const kept = (await signed.journal.keptDecisions(originId))?.decisions ?? [];
  expect(kept.map(({ operator, signature }) => [operator, signature !== null])).toEqual([
    ['ana', true],
    ['luis', true],
  ]);
});

test('a decision that is not allowed is refused in the dialog', async () => {
  await ui.open(idOf(held));
  const dialog = await ui.compose('update', 'decide', {
    ...{ action: 'accept-failed', operator: 'ana', reason: 'a slip' },
  });
  await dialog.getByTestId('confirm-modal-button').click();
  // The rule itself is encrypted like any failure, and the UI decodes no failure of an update.
  await dialog.getByText('Encoded failure').waitFor();
  expect(await stateOf(operatorUi().env, held.originId)).toMatchObject({ proposals: [] });
});
