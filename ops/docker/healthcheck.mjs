// The health check of the image: succeeds if the process answers HEALTH_URL with a 2xx.
const { HEALTH_URL = 'http://127.0.0.1:9464/healthz' } = process.env;
const isWell = await fetch(HEALTH_URL, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = isWell ? 0 : 1;
