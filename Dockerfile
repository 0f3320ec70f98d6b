# syntax=docker/dockerfile:1
FROM node:22.21.1-bookworm-slim AS build
WORKDIR /giro
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY dev ./dev
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22.21.1-bookworm-slim
ENV NODE_ENV=production
WORKDIR /giro
COPY --from=build /giro/package.json ./
COPY --from=build /giro/node_modules ./node_modules
COPY --from=build /giro/dist/src ./dist/src
COPY --from=build /giro/dist/workflow-bundle.js /giro/dist/workflow-bundle-encrypted.js ./dist/
# The image's user "node", by number so that orchestrators can tell that it is not root.
USER 1000
# Signals reach the program itself: SIGTERM drains the worker.
ENTRYPOINT ["node", "--enable-source-maps", "dist/src/starter.js"]
CMD ["worker"]
