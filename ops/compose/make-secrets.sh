#!/bin/sh
# Makes the secrets of docker-compose.yml, once: ops/compose/make-secrets.sh [FOLDER]
# What is there is kept. The folder is closed to others; the files in it are not, because each container reads its own
# as a user of its own.
set -eu
umask 022
folder=${1:-$(dirname "$0")/secrets}
# Containers read these as users of their own; a checkout under a strict umask keeps them to its owner.
ops=$(dirname "$0")/..
chmod a+rx "$ops"
chmod -R a+rX "$ops/prometheus" "$ops/grafana"
find "$ops/compose" -path "$ops/compose/secrets" -prune -o -exec chmod a+rX {} +
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

# N random bytes in hex, or in base64; anything shorter ends the script, for a secret once made stays.
hex() { exactly $(($1 * 2)) "$(head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n')"; }
base64_of() { exactly $((($1 + 2) / 3 * 4)) "$(head -c "$1" /dev/urandom | base64 | tr -d '\n')"; }
exactly() {
  if [ ${#2} -ne "$1" ]; then
    echo "make-secrets.sh: no random bytes: it needs head, od, tr, base64 and /dev/urandom" >&2
    return 1
  fi
  printf '%s\n' "$2"
}
# Writes what comes on its input, unless the file is there.
keep() { if [ -e "$1" ]; then cat > /dev/null; else cat > "$1.new" && mv "$1.new" "$1"; fi; }

for name in postgres-password giro-owner-password giro-worker-password temporal-password \
  codec-server-token receiver-path-secret bank-token bank-hmac-secret grafana-password; do
  # In a variable first: of a pipe the shell looks at the last command alone.
  secret=$(hex 24)
  echo "$secret" | keep "$name"
done

key=$(base64_of 32)
printf '{"active":"k1","keys":{"k1":"%s"}}\n' "$key" | keep codec-keys.json
printf 'proxy_set_header Authorization "Bearer %s";\n' "$(cat codec-server-token)" | keep codec-gateway-authorization

# Logins of their own, each with what it needs: the owner migrates, the worker has the role that Giro runs as.
keep logins.sql << SQL
create role giro_runtime nologin nosuperuser nocreatedb nocreaterole nobypassrls;
create role giro_receiver nologin nosuperuser nocreatedb nocreaterole nobypassrls;
create role giro_owner login password '$(cat giro-owner-password)';
create role giro_worker login password '$(cat giro-worker-password)';
grant giro_runtime, giro_receiver to giro_owner;
grant giro_runtime, giro_receiver to giro_worker;
create database giro owner giro_owner;
create role temporal login createdb password '$(cat temporal-password)';
SQL
keep giro-owner.env << ENV
DATABASE_URL=postgresql://giro_owner:$(cat giro-owner-password)@postgres:5432/giro
ENV
keep giro-worker.env << ENV
DATABASE_URL=postgresql://giro_worker:$(cat giro-worker-password)@postgres:5432/giro
ENV
keep temporal.env << ENV
POSTGRES_PWD=$(cat temporal-password)
SQL_PASSWORD=$(cat temporal-password)
ENV
