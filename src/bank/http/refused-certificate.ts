import type { HttpOutcome, HttpTransport } from './http-outcome';

/**
 * Tells of what is most likely a refused client certificate. Under TLS 1.3 the bank says so only when the handshake is
 * over, and often the request has been written by then: it shows as an alert, or as no more than a closed connection.
 * The second is told only while no call has been answered, since afterwards it has other causes. Once, until a call is
 * answered again.
 */
export function tellRefusedCertificate(transport: HttpTransport, onRefused: () => void): HttpTransport {
  let answered = false;
  let told = false;
  const look = (outcome: HttpOutcome): void => {
    if (outcome.kind === 'response' || outcome.head !== null) {
      answered = true;
      told = false;
      return;
    }
    const { failure, maybeWritten } = outcome;
    const looksLike = failure === 'TLS' || (failure === 'CONNECTION_LOST' && !answered);
    if (!looksLike || !maybeWritten || told) return;
    told = true;
    onRefused();
  };
  return {
    async send(request) {
      const outcome = await transport.send(request);
      look(outcome);
      return outcome;
    },
    close: () => transport.close(),
  };
}
