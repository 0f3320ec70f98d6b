#!/bin/sh
# Names the images of docker-compose.yml and the Dockerfile by digest, in place, because a tag can be moved.
#   ops/pin-images.sh           asks the registries (crane, or docker buildx) and writes each digest after its tag
#   ops/pin-images.sh --check   lists images without a digest, and exits 1 if there are any; asks no registry
set -eu
cd "$(dirname "$0")/.."
files='docker-compose.yml Dockerfile'

# Every image from a registry; giro:local is built here.
images() { sed -n 's/^ *image: *\([^ ]*\) *$/\1/p; s/^ARG NODE_IMAGE=\(.*\)$/\1/p' $files | grep -v '^giro:local$' | sort -u; }
by_tag() { images | grep -v '@sha256:[0-9a-f]\{64\}$' || true; }

digest_of() {
  if command -v crane > /dev/null; then crane digest "$1"
  else docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1"; fi
}

if [ "${1-}" = --check ]; then
  found=$(by_tag)
  if [ -n "$found" ]; then
    printf '%s\n' "$found"
    echo "pin-images.sh: these are named by tag; ops/pin-images.sh writes their digests" >&2
    exit 1
  fi
  exit 0
fi

for image in $(by_tag); do
  digest=$(digest_of "$image")
  if ! printf '%s\n' "$digest" | grep -q '^sha256:[0-9a-f]\{64\}$'; then
    echo "pin-images.sh: no digest of $image" >&2
    exit 1
  fi
  for file in $files; do
    # Overwritten, not replaced, so that owner and mode stay.
    pinned=$(sed "s|\([ =]\)$image\$|\1$image@$digest|" "$file"; echo .)
    printf '%s' "${pinned%.}" > "$file"
  done
  echo "$image@$digest"
done
