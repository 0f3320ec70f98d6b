import { scalarText } from '../bank/http/json';
import { isBankId } from '../domain/movement';
import { isRequestId } from '../domain/verification/request-id';
import type { IdKind, NotificationIds } from './notification';
import type { ReadingBudget } from './reading-budget';

/** Far more ids than a notification has about one movement; further ones are dropped. */
const OF_A_KIND_MAX = 16;

/** The forms of our ids and the bank's; nothing else goes into a query or a workflow id. */
const IS_FORM: Readonly<Record<IdKind, (text: string) => boolean>> = {
  originId: (text) => /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text)),
  movementId: isBankId,
  networkId: isBankId,
  requestId: isRequestId,
};

/** Collects candidates by kind, each once, at most sixteen of a kind. */
export class IdCandidates {
  private readonly found: Readonly<Record<IdKind, Set<string>>>;
  private cut = false;

  /** @param shared ids that belong to this movement too; they are already counted in the budget */
  constructor(
    private readonly budget: ReadingBudget,
    shared: IdCandidates | null = null,
  ) {
    this.found = {
      originId: new Set(shared?.found.originId),
      movementId: new Set(shared?.found.movementId),
      networkId: new Set(shared?.found.networkId),
      requestId: new Set(shared?.found.requestId),
    };
  }

  /** More candidates than the maximum. */
  get isCut(): boolean {
    return this.cut;
  }

  /** `value`: a JSON string or number as `parseJson` reads it; anything else is not an id. */
  add(kind: IdKind, value: unknown): void {
    const text = scalarText(value)?.trim() ?? '';
    const set = this.found[kind];
    if (!IS_FORM[kind](text) || set.has(text)) return;
    if (set.size >= OF_A_KIND_MAX || this.budget.candidates === 0) {
      this.cut = true;
      return;
    }
    this.budget.candidates--;
    set.add(text);
  }

  addAny(value: unknown): void {
    for (const kind of Object.keys(this.found) as IdKind[]) this.add(kind, value);
  }

  ids(): NotificationIds {
    return {
      originIds: [...this.found.originId].map(Number),
      movementIds: [...this.found.movementId],
      networkIds: [...this.found.networkId],
      requestIds: [...this.found.requestId],
    };
  }
}
