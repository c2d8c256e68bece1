# headcount as a container: the worker unless another command is given.
#   docker build -t headcount .
#   docker run --rm --env-file .env headcount sync

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# npm ci runs it; without sources there is nothing to build yet.
COPY build/prepare.cjs ./build/prepare.cjs
RUN npm ci
COPY tsconfig.json tsconfig.library.json ./
COPY build ./build
COPY migrations ./migrations
COPY src ./src
RUN npm run build

FROM node:24-slim
# The only place that may be written to when the rest is read-only.
RUN mkdir -m 0700 /scratch && chown node:node /scratch
ENV NODE_ENV=production TMPDIR=/scratch HEADCOUNT_HEALTH_PORT=8081
# Where npm installs a command for all: docker exec … headcount status.
WORKDIR /usr/local/lib/node_modules/headcount
RUN ln -s /usr/local/lib/node_modules/headcount/src/headcount.cjs /usr/local/bin/headcount
# Its former place, which scripts may name.
RUN ln -s /usr/local/lib/node_modules/headcount /app
COPY --from=build /app/package.json ./
# The only package that is not in the bundle.
COPY --from=build /app/node_modules/@electric-sql/pglite ./node_modules/@electric-sql/pglite
COPY --from=build /app/dist/command ./dist/command
COPY --from=build /app/src/headcount.cjs ./src/headcount.cjs
USER node
# A failing answer says why; docker inspect shows it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "require('node:http').get({ port: process.env.HEADCOUNT_HEALTH_PORT, host: '127.0.0.1', path: '/healthz', agent: false }, (answer) => { process.exitCode = answer.statusCode === 200 ? 0 : 1; answer.pipe(process.stdout) }).on('error', (error) => { console.log(error.message); process.exitCode = 1 })"]
# Behind --, Node takes no flag of headcount for its own (--env-file).
ENTRYPOINT ["node", "--", "/usr/local/bin/headcount"]
CMD ["worker"]
