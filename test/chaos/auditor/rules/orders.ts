import type { Party, Rule, Violation } from '../books';
import { centavos, isCreate, movementOf } from '../reading';

/** The journal has every given order, and neither journal nor bank has any other order. */
export const lostOrInvented: Rule = ({ orders, bank, journal }) => {
  const given = new Set(orders.map(({ originId }) => originId));
  const written = new Set(journal.transfer.map(({ origin_id }) => origin_id));
  const lost = [...given].filter((originId) => !written.has(originId));
  const inJournal = [...written].filter((originId) => !given.has(originId));
  const sent = bank.requests.filter(isCreate);
  const asked = [...new Set(sent.flatMap(({ originId }) => originId ?? []))];
  const atBank = asked.filter((originId) => !given.has(originId) && !written.has(originId));
  const moved = bank.movements.filter(({ originId }) => !given.has(originId) && !asked.includes(originId));
  return [
    ...lost.map((originId) => ({
      rule: 'lost-order',
      originId,
      sentence: 'ordered, but not in the journal',
    })),
    ...[...inJournal, ...atBank, ...moved.map(({ originId }) => originId)].map((originId) => ({
      rule: 'invented-order',
      originId,
      sentence: 'nobody ordered it',
    })),
  ];
};

/** If orders and decisions must be signed, no unsigned one is recorded. */
export const unsigned: Rule = ({ terms, journal }) => {
  if (!terms.isSigned) return [];
  const orders = journal.transfer.filter(({ proof }) => proof === null);
  const decisions = journal.decision.filter(
    ({ operator, signature }) => operator !== null && signature === null,
  );
  return [
    ...orders.map(({ origin_id: originId }) => ({
      ...{ rule: 'unsigned', originId, sentence: 'its order is in the journal without a proof' },
    })),
    ...decisions.map(({ origin_id: originId, operator }) => ({
      ...{ rule: 'unsigned', originId, sentence: `a decision of ${operator} has no signature` },
    })),
  ];
};

/** All books have the ordered amounts, accounts and owners, to the digit. */
export const amounts: Rule = (books) =>
  books.orders.flatMap((order) => {
    const { originId } = order;
    const row = books.journal.transfer.find((it) => it.origin_id === originId);
    const movement = movementOf(books, originId);
    const kept = row?.order_json;
    const written = [
      { where: 'the order in the journal', amount: kept?.body.amount, currency: kept?.body.currencyId },
      { where: 'the bank', amount: movement?.amount, currency: movement?.currency },
      ...books.journal.result
        .filter((it) => it.origin_id === originId)
        .map(({ result }) => ({
          ...{ where: 'the result', amount: result.amount.value, currency: result.amount.currency },
        })),
      ...books.journal.annulment
        .filter((it) => it.origin_id === originId)
        .map((it) => ({ where: 'the annulment', amount: it.amount, currency: it.currency })),
    ];
    const due = centavos(order.amount);
    const found: Violation[] = [];
    for (const { where, amount, currency } of written) {
      if (amount === undefined) continue;
      if (due === null || centavos(amount) !== due || currency !== order.currency)
        found.push({
          rule: 'amount',
          originId,
          sentence: `ordered ${order.amount} of ${order.currency}, ${where} has ${amount} of ${currency ?? 'nothing'}`,
        });
    }
    for (const [where, parties] of [
      ['the order in the journal', kept],
      ['the bank', movement],
    ] as const) {
      if (parties === undefined || parties === null) continue;
      for (const side of ['from', 'to'] as const)
        if (!isSame(parties[side], order[side]))
          found.push({ rule: 'account', originId, sentence: `${where} has another account as \`${side}\`` });
    }
    return found;
  });

const isSame = (a: Party, b: Party): boolean =>
  a.address === b.address && a.owner.personId === b.owner.personId;
