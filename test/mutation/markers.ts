/** The comments that mark guards in `src`, and the program without what they mark. */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import type { ESTree } from 'rolldown/utils'
import type { Guard, Mutation } from './guards/guard.ts'

/** The place of a guard: `// guard: name` above a statement, or the same in a block comment before an expression. */
export interface Marker {
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  readonly source: string
  readonly program: ESTree.Program
  /** Where the marked code begins. */
  readonly start: number
}

export interface Mutant {
  readonly file: string
  readonly source: string
  readonly mutated: string
}

/** Part of a source: from its start up to its end. */
type Span = Pick<ESTree.Node, 'start' | 'end'>

/** What may stand between a marker and the code that it marks. */
const between = /(?:\s|\/\/.*|\/\*[^]*?\*\/|else\b)*/y

/** All markers of `src`, in no order. A comment may mark the same code for several guards: `// guard: a; b`. */
export async function findMarkers(root: string): Promise<readonly Marker[]> {
  const markers: Marker[] = []
  for await (const file of glob('src/**/*.ts', { cwd: root })) {
    const source = await readFile(join(root, file), 'utf8')
    if (!source.includes(' guard: ')) continue
    const { program, comments } = parseSync(file, source)
    for (const { value, end } of comments.filter((comment) => comment.value.startsWith(' guard: '))) {
      between.lastIndex = end
      const start = end + (between.exec(source)?.[0].length ?? 0)
      for (const name of value.slice(' guard: '.length).trim().split('; '))
        markers.push({ name, file, source, program, start })
    }
  }
  return markers
}

/** @throws when the guard is not marked exactly once, or its mutation does not fit the marked code */
export function mutate({ name, mutation }: Guard, markers: readonly Marker[]): Mutant {
  const [marker, ...others] = markers.filter((one) => one.name === name)
  if (marker === undefined || others.length > 0)
    throw new Error(`The guard "${name}" is marked ${marker ? 1 + others.length : 0} times in src, not once.`)
  const { file, source, start } = marker
  const [span, text] = changeOf(marker, mutation)
  const mutated = source.slice(0, span.start) + text + source.slice(span.end)
  if (mutated === source) throw new Error(`The mutation of "${name}" changes nothing in ${file} at ${start}.`)
  return { file, source, mutated }
}

function changeOf(marker: Marker, mutation: Mutation): readonly [Span, string] {
  const { source } = marker
  const node = markedNode(marker)
  if (mutation === 'remove') return removal(node, source)
  if (typeof mutation === 'object' && 'cut' in mutation) {
    const at = source.indexOf(mutation.cut, node.start)
    const end = at + mutation.cut.length
    const again = source.indexOf(mutation.cut, end)
    if (at === -1 || end > node.end || (again !== -1 && again < node.end))
      throw new Error(`"${marker.name}" does not have "${mutation.cut}" once in ${marker.file}.`)
    return [{ start: at, end }, mutation.put ?? '']
  }
  if (typeof mutation === 'object' && 'body' in mutation) {
    if (node.type === 'IfStatement') return [node.consequent, mutation.body]
  } else {
    const value = valueOf(node)
    if (typeof mutation === 'object') return [value, mutation.replace]
    if (mutation !== 'unwrap')
      return [value.type === 'ConditionalExpression' ? value.test : value, String(mutation === 'always')]
    const [argument] = value.type === 'CallExpression' ? value.arguments : []
    if (argument !== undefined) return [value, source.slice(argument.start, argument.end)]
  }
  throw new Error(`"${marker.name}" marks a ${node.type} in ${marker.file}, which its mutation does not fit.`)
}

/** The outermost node that begins there; of `a && b`, `a || b` and `a ? b : c` it is `a`. */
function markedNode({ name, file, source, program, start }: Marker): ESTree.Node {
  const nodes = [...nodesAt(program, start)]
  const begins = (at: number) => nodes.find((node) => node.start === at && !isSplit(node))
  // A call of a chain is marked before its dot.
  const chained = /^\.(?!\.)/.test(source.slice(start, start + 2))
    ? nodes.find((node) => methodOf(node)?.property.start === start + 1)
    : undefined
  const found = chained ?? begins(start) ?? (source[start] === '(' ? begins(start + 1) : undefined)
  if (found === undefined) throw new Error(`Nothing that can be changed follows "${name}" in ${file}.`)
  return found
}

/** What is called, where it is a member of something. */
function methodOf(node: ESTree.Node) {
  return node.type === 'CallExpression' && node.callee.type === 'MemberExpression' ? node.callee : undefined
}

function isSplit(node: ESTree.Node): boolean {
  if (node.type === 'LogicalExpression') return node.operator !== '??'
  return node.type === 'ConditionalExpression' || node.type === 'Program'
}

/** From the outermost to the innermost: what begins there or around it, and what follows a bracket or a dot there. */
function* nodesAt(value: unknown, place: number): Generator<ESTree.Node> {
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) {
    if (value.start > place + 1 || value.end <= place) return
    yield value
  }
  for (const part of Object.values(value)) yield* nodesAt(part, place)
}

function isNode(value: object): value is ESTree.Node {
  return 'type' in value && 'start' in value
}

/** What a statement or a property is about; an expression itself. */
function valueOf(node: ESTree.Node): ESTree.Node {
  if (node.type === 'IfStatement') return node.test
  if (node.type === 'ReturnStatement' || node.type === 'ThrowStatement') return node.argument ?? node
  if (node.type === 'VariableDeclaration') return node.declarations[0]?.init ?? node
  if (node.type === 'ExpressionStatement') return node.expression
  return node.type === 'Property' ? node.value : node
}

function removal(node: ESTree.Node, source: string): readonly [Span, string] {
  if (/Statement|Declaration/.test(node.type)) return [node, ';']
  const method = methodOf(node)
  if (method !== undefined) return [{ start: method.object.end, end: node.end }, '']
  const comma = /^\s*,/.exec(source.slice(node.end))?.[0] ?? ''
  return [{ start: node.start, end: node.end + comma.length }, '']
}
