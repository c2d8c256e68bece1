/**
 * What the bundle of the command changes in packages and in what it takes of them: so that it starts sooner, spans and metrics cost less of a
 * run, and no tick is late where the machine's own clock is set back (docs/decisions.md, 77, 131 and 212). Each is a change of a line or two,
 * and the build fails when the line is no longer there.
 */
import type { Plugin } from 'rolldown'

interface Change {
  readonly name: string
  /** Of the modules that are changed. */
  readonly modules: RegExp
  readonly from: RegExp
  readonly to: string
}

const changes: readonly Change[] = [
  {
    // The main file of undici loads all of it, with fetch and WebSocket: two thirds of what it takes to load.
    name: 'pool-of-undici',
    modules: /[\\/]src[\\/]source[\\/]http[\\/]client\.ts$/,
    from: /import \{ Pool \} from (["'])undici\1/,
    to: "import Pool from 'undici/lib/dispatcher/pool.js'",
  },
  {
    // By import() Node reads all that its client of HTTP offers; the first look at one of them loads Node's own fetch: 20 to 40 ms of a
    // process that has it already in another form. require() reads nothing.
    name: 'require-http',
    modules: /[\\/]@opentelemetry[\\/]otlp-exporter-base[\\/]/,
    from: /\bimport\((["'])(https?)\1\)/g,
    to: 'Promise.resolve(require($1$2$1))',
  },
  {
    // Each recorded value hashes its attributes: more than half of what it costs. Those that cannot change are hashed once.
    name: 'hash-once',
    modules: /[\\/]@opentelemetry[\\/]sdk-metrics[\\/].*[\\/]utils\.m?js$/,
    from: /\bfunction hashAttributes\(attributes\) \{/,
    to: `const hashes = new WeakMap();
function hashAttributes(attributes) {
	let hash = hashes.get(attributes);
	if (hash === undefined) {
		hash = newHashOf(attributes);
		if (Object.isFrozen(attributes)) hashes.set(attributes, hash);
	}
	return hash;
}
function newHashOf(attributes) {`,
  },
]

/**
 * The clock of node-cron in whole seconds. By local time a moment in the hour that the machine's own zone repeats in autumn becomes that of an hour
 * before: no tick came in that hour, and each timer of node-cron ended at once, again and again.
 */
const wholeSeconds: Change = {
  name: 'whole-seconds',
  modules: /[\\/]node-cron[\\/]dist[\\/]_shared\.js$/,
  from: /\bdate\.setMilliseconds\(0\)/,
  to: 'date.setUTCMilliseconds(0)',
}

export const bundleChanges: readonly Plugin[] = [...changes, wholeSeconds].map(pluginOf)

const { buildEnd: _, ...withoutCheck } = pluginOf(wholeSeconds)
/** The same for tests, which load what is not bundled: most load no node-cron. */
export const changeOfTests: Plugin = withoutCheck

function pluginOf({ name, modules, from, to }: Change): Plugin {
  let isMade = false
  return {
    name,
    transform: {
      filter: { id: modules },
      handler: (code) => {
        const changed = code.replace(from, to)
        if (changed !== code) isMade = true
        return changed
      },
    },
    buildEnd: (error) => {
      if (error === undefined && !isMade)
        throw new Error(`build/bundle-changes.ts: nothing is left to change for ${name}: take it out`)
    },
  }
}
