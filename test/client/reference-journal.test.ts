import { PlaintextRefusedError, openReferenceJournal } from '../../src/client';

const close = (url: string, options?: { allowPlaintext?: boolean }) =>
  openReferenceJournal(url, null, options).close();

describe('the journal of a backend', () => {
  it.each([
    'postgres://u:canary@db.example/d',
    'postgres://u:canary@db.example/d?sslmode=disable',
    'postgres://u:canary@db.example/d?sslmode=no-verify',
    'postgres://u:canary@127.0.0.1/d?host=db.example',
  ])('%s is refused without a word for it', async (url) => {
    const open = () => openReferenceJournal(url);
    expect(open).toThrow(PlaintextRefusedError);
    expect(open).toThrow(/lacks verified TLS: add sslmode=verify-full .* or pass allowPlaintext/);
    expect(open).not.toThrow(/canary/);
    await close(url, { allowPlaintext: true });
  });

  it.each([
    'postgres://u:p@db.example/d?sslmode=verify-full',
    'postgres://u:p@127.0.0.1:5433/d',
    'postgres:///d?host=/var/run/postgresql',
  ])('%s needs none', (url) => close(url));
});
