import type { BankOrder } from '../order';
import type { Step } from '../rules/fault-schema';
import type { Behaviour } from '../rules/rule-set';
import { stepAt } from '../rules/rule-set';
import type { BankMovement } from './movement';

/** What the bank keeps of one originId from the first create that reached its rules. */
export class Dossier {
  /** Null until an order is taken. */
  movement: BankMovement | null = null;
  private creates = 0;
  private queries = 0;
  private answers = 0;

  constructor(
    /** The latest order with this originId, until one is taken. */
    public order: BankOrder,
    readonly behaviour: Behaviour,
  ) {}

  nextCreateStep(): Step {
    return stepAt(this.behaviour.create, this.creates++);
  }

  nextQueryStep(): Step {
    return stepAt(this.behaviour.query, this.queries++);
  }

  /** Number, from 1, of the answer with a movement that is given now. */
  nextAnswerNumber(): number {
    this.answers += 1;
    return this.answers;
  }
}
