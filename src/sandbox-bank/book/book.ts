import { randomBytes } from 'node:crypto';
import type { BankOrder } from '../order';
import { stepAt } from '../rules/rule-set';
import type { Behaviour } from '../rules/rule-set';
import { advance, currentStatus, restate } from './movement';
import type { BankMovement } from './movement';
import { RequestLog } from './request-log';
import type { RequestRecord } from './request-log';
import { Notifier } from '../notifications/notifier';
import { Subscriptions } from './subscriptions';
import { Verifications } from './verifications';
import type { VerificationRecord } from './verifications';
import type { Step } from '../rules/fault-schema';

/** What the bank keeps about one originId, from the first create that reached its rules. */
export class Dossier {
  /** Null until the bank takes an order. */
  movement: BankMovement | null = null;
  private creates = 0;
  private queries = 0;
  private answers = 0;

  constructor(
    /** The latest order with this originId, until the bank takes one. */
    public order: BankOrder,
    readonly behaviour: Behaviour,
  ) {}

  nextCreateStep(): Step {
    return stepAt(this.behaviour.create, this.creates++);
  }

  nextQueryStep(): Step {
    return stepAt(this.behaviour.query, this.queries++);
  }

  /** Number, from 1, of the current answer with a movement. */
  nextAnswerNumber(): number {
    this.answers += 1;
    return this.answers;
  }
}

/** The bank's audit view of a movement. */
export interface MovementRecord {
  readonly id: string;
  readonly originId: string;
  readonly status: string;
  /** Decimal text, two decimals. */
  readonly amount: string;
  readonly currency: string;
  readonly from: BankOrder['from'];
  readonly to: BankOrder['to'];
  readonly description: string;
  readonly concept: string;
  readonly network: string;
  readonly networkId: string;
  readonly debinId: string;
  readonly createdAt: string;
  /** Create and get-movement requests with this originId, with any outcome. */
  readonly creates: number;
  readonly queries: number;
}

/** Identifiers of a query: at least one is given, and all given ones must name the same movement. */
export interface MovementKeys {
  readonly originId?: string | undefined;
  readonly networkId?: string | undefined;
  readonly debinId?: string | undefined;
}

/** Above 2^53, which exposes a client that reads ids into a double. */
const FIRST_ID = 9_007_199_254_740_993n;
const NETWORK = 'COELSA';

/** The bank's own books: what it took and what it was asked. */
export class Book {
  readonly requestLog = new RequestLog();
  readonly verifications = new Verifications();
  readonly subscriptions = new Subscriptions();
  readonly notifier = new Notifier(this.subscriptions);
  private dossiers = new Map<string, Dossier>();
  private byNetworkId = new Map<string, Dossier>();
  private byDebinId = new Map<string, Dossier>();
  private nextId = FIRST_ID;

  /** The first order with an originId selects the rule, which then stays. */
  dossierFor(order: BankOrder, choose: (order: BankOrder) => Behaviour): Dossier {
    const known = this.dossiers.get(order.originId);
    if (known !== undefined) {
      if (known.movement === null) known.order = order;
      return known;
    }
    const dossier = new Dossier(order, choose(order));
    this.dossiers.set(order.originId, dossier);
    return dossier;
  }

  find(keys: MovementKeys): Dossier | null {
    const found = [
      keys.originId === undefined ? [] : [this.dossiers.get(keys.originId)],
      keys.networkId === undefined ? [] : [this.byNetworkId.get(keys.networkId)],
      keys.debinId === undefined ? [] : [this.byDebinId.get(keys.debinId)],
    ].flat();
    const [first] = found;
    return first !== undefined && found.every((dossier) => dossier === first) ? first : null;
  }

  /** A movement for this order, not yet in the books. */
  draft({ order, behaviour }: Dossier): BankMovement {
    const createdAt = new Date().toISOString();
    const movement: BankMovement = {
      id: behaviour.id ?? String(this.nextId++),
      network: NETWORK,
      networkId: behaviour.networkId ?? networkReference(),
      debinId: networkReference(),
      order,
      behaviour,
      createdAt,
      completedAt: null,
      states: behaviour.states,
      position: 0,
    };
    restate(movement, behaviour.states);
    return movement;
  }

  /** Takes the order unless this originId already has a movement: an originId never gets a second one. */
  take(dossier: Dossier): BankMovement {
    if (dossier.movement !== null) return dossier.movement;
    const movement = this.draft(dossier);
    dossier.movement = movement;
    // A rule may give many movements the same network id: a look-up by it finds the first.
    if (!this.byNetworkId.has(movement.networkId)) this.byNetworkId.set(movement.networkId, dossier);
    this.byDebinId.set(movement.debinId, dossier);
    this.notifier.changed(movement, movement.behaviour.notify);
    return movement;
  }

  /** False: no such movement. */
  restate(originId: string, states: readonly string[]): boolean {
    const movement = this.dossiers.get(originId)?.movement ?? null;
    if (movement === null) return false;
    restate(movement, states);
    this.notifier.changed(movement, movement.behaviour.notify);
    return true;
  }

  /** Advances by one state, and notifies if the status changed. */
  advance(movement: BankMovement): void {
    const before = currentStatus(movement);
    advance(movement);
    if (currentStatus(movement) !== before) this.notifier.changed(movement, movement.behaviour.notify);
  }

  /** In the order in which their originIds were first seen. */
  movements(): readonly MovementRecord[] {
    return [...this.dossiers.values()].flatMap(({ movement }) =>
      movement === null ? [] : [this.view(movement)],
    );
  }

  movement(originId: string): MovementRecord | null {
    const movement = this.dossiers.get(originId)?.movement ?? null;
    return movement === null ? null : this.view(movement);
  }

  /** In order of arrival. */
  requests(originId: string | null = null, after = 0): readonly RequestRecord[] {
    return this.requestLog.list(originId, after);
  }

  verification(requestId: string): VerificationRecord | null {
    return this.verifications.record(requestId);
  }

  /** Queries of one verification, in order of arrival. */
  verificationRequests(requestId: string): readonly RequestRecord[] {
    return this.requestLog.ofVerification(requestId);
  }

  /** Forgets all movements, verifications and requests; sequence numbers and ids continue. */
  reset(): void {
    this.dossiers = new Map();
    this.byNetworkId = new Map();
    this.byDebinId = new Map();
    this.verifications.reset();
    this.requestLog.reset();
    this.notifier.reset();
  }

  private view(movement: BankMovement): MovementRecord {
    const { originId, from, to, body } = movement.order;
    return {
      id: movement.id,
      originId,
      status: currentStatus(movement),
      amount: body.amount,
      currency: body.currencyId,
      from,
      to,
      description: body.description,
      concept: body.concept,
      network: movement.network,
      networkId: movement.networkId,
      debinId: movement.debinId,
      createdAt: movement.createdAt,
      creates: this.requestLog.count(originId, 'transfer-request'),
      queries: this.requestLog.count(originId, 'get-movement'),
    };
  }
}

const REFERENCE_LENGTH = 22;
const REFERENCE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** 22 upper-case letters and digits, 110 random bits. */
const networkReference = (): string =>
  [...randomBytes(REFERENCE_LENGTH)].map((byte) => REFERENCE_ALPHABET[byte % 32] ?? 'A').join('');
