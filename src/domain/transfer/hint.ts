/** A hint is used up by a request that began after it; one that came during the request still asks for another. */
export function hintAfter(hintedAtMs: number | null, requestStartedAtMs: number): number | null {
  return hintedAtMs !== null && hintedAtMs > requestStartedAtMs ? hintedAtMs : null;
}
