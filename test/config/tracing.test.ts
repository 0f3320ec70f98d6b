import { loadSettings } from '../../src/config/settings';

test('off without an endpoint, whatever the other variables are for other programs', () => {
  for (const env of [{}, { OTEL_SERVICE_NAME: 'my app', OTEL_TRACES_SAMPLER_ARG: 'endpoint=x' }])
    expect(loadSettings(env, ['tracing']).config.tracing).toEqual({ exporter: null });
});

test('with an endpoint, everything wrong is reported at once', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_TRACES_SAMPLER_ARG: '1.5' };
  expect(() => loadSettings(env, ['tracing'])).toThrow('2 errors');
});

test('the endpoint is a base; headers are decoded, and no part of the configuration that may be shown', () => {
  const { config, secrets } = loadSettings(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.internal:4318/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant=pagos',
      OTEL_SERVICE_NAME: 'giro-worker',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
    },
    ['tracing'],
  );
  expect(config.tracing.exporter).toEqual({
    url: 'https://collector.internal:4318/otlp/v1/traces',
    serviceName: 'giro-worker',
    ratio: 0.05,
  });
  expect(secrets.tracing.headers).toEqual({ authorization: 'Bearer abc', 'x-tenant': 'pagos' });
});
