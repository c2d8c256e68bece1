/** Reads Prometheus' text form strictly: what Prometheus would refuse, or read as something else, throws. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Exposition {
  readonly samples: readonly Sample[]
  /** By the name of the family. */
  readonly types: ReadonlyMap<string, string>
}

const METRIC = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const sampleLine = new RegExp(`^(${METRIC})(?:\\{(.*)\\})? ([-+.eE\\d]+|NaN|[-+]Inf)$`)
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

export function parseExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const [, comment, of = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.+)$/.exec(line) ?? []
    if (comment === 'HELP') helped.add(of)
    if (comment === 'TYPE') {
      if (types.has(of)) throw new Error(`${of} has two types`)
      types.set(of, rest)
    }
    if (line === '' || line.startsWith('#')) continue
    const [, name, labels = '', value] = sampleLine.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`)
    const series = `${name}{${labels}}`
    if (seen.has(series)) throw new Error(`twice: ${series}`)
    seen.add(series)
    const family = familyOf(name, types)
    if (!types.has(family) || !helped.has(family)) throw new Error(`${name} has no TYPE or no HELP before it`)
    samples.push({ name, labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) })
  }
  return { samples, types }
}

/** A histogram's samples have the family's name and an ending. */
function familyOf(name: string, types: Exposition['types']): string {
  const family = name.replace(/_(?:bucket|sum|count)$/, '')
  return types.get(family) === 'histogram' ? family : name
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < text.length) {
    const found = label.exec(text)
    if (found === null) throw new Error(`no labels: ${text}`)
    const [, name = '', value = ''] = found
    labels[name] = value.replace(/\\(["\\n])/g, (_, one) => (one === 'n' ? '\n' : String(one)))
  }
  return labels
}

/** The value of the one sample with this name and these labels; undefined without one. */
export function sampleOf(
  { samples }: Exposition,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  if (found.length > 1) throw new Error(`${found.length} samples of ${name}`)
  return found[0]?.value
}
