#!/bin/sh
# Makes the secrets of docker-compose.yml, once: ops/compose/make-secrets.sh [FOLDER] Existing files are kept.
# Containers read the files as different users of one group: SECRETS_GID (default 1000), for this script and for docker
# compose. Nobody else may read them.
set -eu
# With it, `cd` could lead to a folder of the same name elsewhere.
unset CDPATH
umask 022
gid=${SECRETS_GID:-1000}
folder=${1:-$(dirname "$0")/secrets}
# Containers read these files as other users; after a checkout under a strict umask only their owner could.
ops=$(dirname "$0")/..
chmod a+rx "$ops"
chmod -R a+rX "$ops/prometheus" "$ops/grafana"
find "$ops/compose" -path "$ops/compose/secrets" -prune -o -exec chmod a+rX {} +
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

# N random bytes in hex. Fewer bytes end the script, because an existing secret is never replaced.
hex() {
  bytes=$(head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n') || bytes=
  if [ ${#bytes} -ne $(($1 * 2)) ]; then
    echo "make-secrets.sh: no random bytes: it needs head, od, tr and /dev/urandom" >&2
    return 1
  fi
  echo "$bytes"
}
# Writes its input to the file, unless the file exists.
keep() { if [ -e "$1" ]; then cat > /dev/null; else cat > "$1.new" && mv "$1.new" "$1"; fi; }

for name in postgres-password giro-owner-password giro-worker-password giro-receiver-password \
  giro-operator-password giro-client-password temporal-password codec-server-token \
  receiver-path-secret bank-token bank-hmac-secret grafana-password; do
  # First into a variable: in a pipe the shell checks only the last command.
  secret=$(hex 24)
  echo "$secret" | keep "$name"
done

authorization() { printf 'proxy_set_header Authorization "Bearer %s";\n' "$(cat "$1")"; }
authorization codec-server-token | keep codec-gateway-authorization

# A login for each process, a member of its role alone. The role determines what the process may do in the journal:
# `giro setup` grants it those rights.
keep logins.sql << SQL
create role giro_runtime nologin nosuperuser nocreatedb nocreaterole nobypassrls;
create role giro_receiver nologin nosuperuser nocreatedb nocreaterole nobypassrls;
create role giro_operator nologin nosuperuser nocreatedb nocreaterole nobypassrls;
create role giro_client nologin nosuperuser nocreatedb nocreaterole nobypassrls;
create role giro_owner login password '$(cat giro-owner-password)';
create role giro_worker_login login password '$(cat giro-worker-password)' in role giro_runtime;
create role giro_receiver_login login password '$(cat giro-receiver-password)' in role giro_receiver;
create role giro_operator_login login password '$(cat giro-operator-password)' in role giro_operator;
create role giro_client_login login password '$(cat giro-client-password)' in role giro_client;
create database giro owner giro_owner;
create role temporal login createdb password '$(cat temporal-password)';
SQL
address() { printf 'DATABASE_URL=postgresql://%s:%s@postgres:5432/giro\n' "$1" "$(cat "$2")"; }
address giro_owner giro-owner-password | keep giro-owner.env
for process in worker receiver operator client; do
  address "giro_${process}_login" "giro-$process-password" | keep "giro-$process.env"
done
keep temporal.env << ENV
POSTGRES_PWD=$(cat temporal-password)
SQL_PASSWORD=$(cat temporal-password)
ENV

chmod 0640 ./*
# Only Docker reads the env files.
chmod 0600 ./*.env
if ! chgrp "$gid" ./* 2> /dev/null; then
  own=$(id -g)
  echo "make-secrets.sh: cannot give the files to group $gid. To use your own group, set this for this script and for docker compose:" >&2
  echo "  export SECRETS_GID=$own" >&2
  exit 1
fi
