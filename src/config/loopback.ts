/**
 * Whether a host name, as `URL.hostname` gives it, can only be this machine. The names that a resolver could send
 * elsewhere (`foo.localhost`, `localhost.`) and the wildcard `0.0.0.0` are not.
 */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    hostname === '::1' ||
    /^127\.(?:[0-9]{1,3}\.){2}[0-9]{1,3}$/.test(hostname)
  );
}
