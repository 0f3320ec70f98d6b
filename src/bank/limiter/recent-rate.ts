/** Events a second, over the last second or two. */
export class RecentRate {
  private current = 0;
  private previous = 0;

  /** @param windowMs start of the present second */
  constructor(private windowMs: number) {}

  count(nowMs: number): void {
    this.roll(nowMs);
    this.current += 1;
  }

  at(nowMs: number): number {
    this.roll(nowMs);
    return Math.max(this.previous, this.current);
  }

  private roll(nowMs: number): void {
    const seconds = Math.floor((nowMs - this.windowMs) / 1_000);
    if (seconds < 1) return;
    this.previous = seconds === 1 ? this.current : 0;
    this.current = 0;
    this.windowMs += seconds * 1_000;
  }
}
