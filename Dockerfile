# By digest: a tag can be moved.
ARG NODE_IMAGE=node:22.21.1-bookworm-slim@sha256:25b3eb23a00590b7499f2a2ce939322727fcce1b15fdd69754fcd09536a3ae2c

FROM ${NODE_IMAGE} AS build
WORKDIR /giro
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY dev ./dev
COPY src ./src
# `dev` imports it.
COPY test/chaos/auditor ./test/chaos/auditor
# Workers start from the bundles. Without them each worker would need the compiler and a writable file system.
RUN npm run build && test -s dist/workflow-bundle.js && test -s dist/workflow-bundle-encrypted.js
# Keeps only what runs; the bill of materials lists it by name, version and hash. If package.json kept
# devDependencies, npm would report them as missing.
RUN npm prune --omit=dev --ignore-scripts && npm pkg delete devDependencies \
    && npm sbom --sbom-format cyclonedx > sbom.cdx.json
# Temporal's native module comes for five platforms, 28 MB each. Keep this platform's only.
RUN cd node_modules/@temporalio/core-bridge \
    && ours=$(node -p "require('./common').getPrebuiltTargetName()") && test -s "releases/$ours/index.node" \
    && find releases -mindepth 1 -maxdepth 1 ! -name "$ours" -exec rm -r {} +
COPY ops/docker/healthcheck.mjs ./
# Under a strict umask only the owner could read a checkout: let the image's user read it too.
RUN chmod -R a+rX package.json healthcheck.mjs dist

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /giro
COPY --from=build /giro/package.json /giro/sbom.cdx.json /giro/healthcheck.mjs ./
COPY --from=build /giro/node_modules ./node_modules
COPY --from=build /giro/dist/src ./dist/src
COPY --from=build /giro/dist/workflow-bundle.js /giro/dist/workflow-bundle-encrypted.js \
    /giro/dist/THIRD-PARTY-NOTICES.txt ./dist/
# Folders for volumes, so that files written there belong to the image's user.
RUN install -d -m 0700 -o 1000 -g 1000 /keys /seal
# The image's user "node", by number so that orchestrators can tell that it is not root. Nothing is written below /giro:
# the root file system may be read-only.
USER 1000
# The worker's health address; the other services have RECEIVER_ADDRESS and CODEC_SERVER_ADDRESS.
ENV GIRO_HTTP_ADDRESS=0.0.0.0:9464 HEALTH_URL=http://127.0.0.1:9464/healthz
# The C library returns freed memory. Otherwise a worker keeps some 150 MB more, because the native part of Temporal's
# SDK allocates in many threads (bench/README.md).
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "healthcheck.mjs"]
# Signals reach the program itself: SIGTERM drains the worker. No source maps: they would cost a worker a tenth of its
# time, because the SDK evaluates code for each promise of a workflow, and Node would look for a source map each time.
ENTRYPOINT ["node", "dist/src/starter.js"]
CMD ["worker"]
