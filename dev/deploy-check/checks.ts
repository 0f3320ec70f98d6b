import { Interrupted } from '../child';

/** The steps of the check, counted: each passes, fails, or is skipped with a reason. */
export class Checks {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  constructor(private readonly say: (line: string) => void) {}

  /**
   * Runs a step, which may return a text about its result; a failure is printed and counted. False: it failed.
   * Rejects when a signal interrupted it: no step may follow.
   */
  async check(name: string, step: () => Promise<unknown>): Promise<boolean> {
    const startedMs = Date.now();
    try {
      const found = await step();
      this.#passed += 1;
      this.say(`ok       ${name}${typeof found === 'string' ? `: ${found}` : ''} (${seconds(startedMs)})`);
      return true;
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      this.fail(`${name} (${seconds(startedMs)})`, error);
      return false;
    }
  }

  fail(name: string, error: unknown): void {
    this.#failed += 1;
    this.say(`FAILED   ${name}\n${describe(error)}`);
  }

  skip(name: string, why: string): void {
    this.#skipped += 1;
    this.say(`skipped  ${name}: ${why}`);
  }

  get passed(): number {
    return this.#passed;
  }

  get failed(): number {
    return this.#failed;
  }

  /** The last line of the check. */
  line(): string {
    return `${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`;
  }
}

const seconds = (sinceMs: number): string => `${((Date.now() - sinceMs) / 1_000).toFixed(1)} s`;
const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
