# The service for its own Postgres (DATABASE_URL): no embedded one. docs/operations/containers.md says how it is run.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY tools tools
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
RUN npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# Files of the package alone, as `npm pack` chooses them.
RUN mkdir -p /srv/leaderboard /var/lib/leaderboard \
 && npm pack --ignore-scripts --pack-destination /tmp \
 && tar --extract --gzip --file /tmp/leaderboard-service-*.tgz --strip-components 1 --directory /srv/leaderboard \
 && mv node_modules /srv/leaderboard/

FROM node:24-bookworm-slim
# The user has no entry in /etc/passwd, and a library asks for its home.
ENV NODE_ENV=production \
    HOME=/tmp \
    HOST=0.0.0.0 \
    PORT=3000 \
    METRICS_PORT=9464 \
    DATA_DIR=/var/lib/leaderboard
WORKDIR /srv/leaderboard
COPY --from=build /srv/leaderboard ./
# Mails without SMTP_URL, a generated superadmin key, the list of erasures.
COPY --from=build --chown=10001:10001 /var/lib/leaderboard /var/lib/leaderboard
USER 10001:10001
EXPOSE 3000 9464
VOLUME /var/lib/leaderboard
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1: it gets the signals. Other commands: `dist/src/operator/migrate.js`, `clients/terminal/dist/main.js`.
ENTRYPOINT ["node", "--enable-source-maps", "--max-semi-space-size=64"]
CMD ["dist/src/main.js"]
