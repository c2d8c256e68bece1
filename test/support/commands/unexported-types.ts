/** Which types of a package a program can meet and cannot name. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

type Node = Readonly<Record<string, unknown>>

/** The declarations of a file, and where the names come from that it imports. */
interface Declarations {
  readonly declared: ReadonlyMap<string, Node>
  readonly imported: ReadonlyMap<string, Place>
  /** Under the name that others import. */
  readonly exported: ReadonlyMap<string, Place>
  /** Files of which everything is exported. */
  readonly reexported: readonly string[]
}

interface Place {
  readonly file: string
  readonly name: string
}

/**
 * Walks from the exports of a file of declarations to every type that they use.
 *
 * @returns those that are declared in the package and not exported, as `name (file)`
 */
export function unexportedTypes(index: string): readonly string[] {
  const parsed = new Map<string, Declarations>()
  const read = (file: string): Declarations => {
    const known = parsed.get(file) ?? parse(file)
    parsed.set(file, known)
    return known
  }
  const exportsOf = (file: string): readonly Place[] => {
    const { exported, reexported } = read(file)
    return [...exported.values(), ...reexported.flatMap(exportsOf)]
  }
  const resolve = ({ file, name }: Place): Place | null => {
    const { declared, imported, exported, reexported } = read(file)
    if (declared.has(name)) return { file, name }
    const next = imported.get(name) ?? exported.get(name)
    if (next !== undefined && (next.file !== file || next.name !== name)) return resolve(next)
    return reexported.map((from) => resolve({ file: from, name })).find((place) => place !== null) ?? null
  }
  const isExported = new Set(exportsOf(index).map((place) => keyOf(resolve(place) ?? place)))
  const seen = new Set<string>()
  const visit = (place: Place): void => {
    const found = resolve(place)
    if (found === null || seen.has(keyOf(found))) return
    seen.add(keyOf(found))
    for (const name of namesIn(read(found.file).declared.get(found.name))) visit({ file: found.file, name })
  }
  exportsOf(index).forEach(visit)
  return [...seen].filter((place) => !isExported.has(place)).toSorted()
}

function keyOf({ file, name }: Place): string {
  return `${name} (${file})`
}

function parse(file: string): Declarations {
  const declared = new Map<string, Node>()
  const imported = new Map<string, Place>()
  const exported = new Map<string, Place>()
  const reexported: string[] = []
  const { body } = parseAst(readFileSync(file, 'utf8'), { lang: 'dts' })
  const declare = (node: Node, isExported: boolean) => {
    for (const name of namesDeclaredBy(node)) {
      declared.set(name, node)
      if (isExported) exported.set(name, { file, name })
    }
  }
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') {
      const from = fileOf(file, statement.source.value)
      for (const specifier of from === null ? [] : statement.specifiers)
        if (specifier.type === 'ImportSpecifier')
          imported.set(specifier.local.name, { file: from ?? '', name: nameOf(specifier.imported) })
    } else if (statement.type === 'ExportAllDeclaration') {
      const from = fileOf(file, statement.source.value)
      if (from !== null) reexported.push(from)
    } else if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration !== null) declare({ ...statement.declaration }, true)
      const from = statement.source === null ? file : fileOf(file, statement.source.value)
      for (const { local, exported: as } of from === null ? [] : statement.specifiers)
        exported.set(nameOf(as), { file: from ?? '', name: nameOf(local) })
    } else declare({ ...statement }, false)
  }
  return { declared, imported, exported, reexported }
}

function nameOf(node: { readonly name?: string; readonly value?: string }): string {
  return node.name ?? node.value ?? ''
}

/** A file of the package; null: another package. */
function fileOf(importer: string, source: string): string | null {
  return source.startsWith('.') ? join(dirname(importer), source.replace(/\.[jt]s$/, '.d.ts')) : null
}

function namesDeclaredBy(node: Node): readonly string[] {
  const declarations: readonly Node[] =
    node['type'] === 'VariableDeclaration' ? list(node['declarations']) : [node]
  return declarations.flatMap(({ id }) => (isNode(id) && typeof id['name'] === 'string' ? id['name'] : []))
}

/** The names of the types and values that a declaration uses. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (!isNode(value)) return []
  const own =
    value['type'] === 'TSTypeReference'
      ? value['typeName']
      : value['type'] === 'TSTypeQuery'
        ? value['exprName']
        : value['expression']
  const name = isNode(own) && typeof own['name'] === 'string' ? [own['name']] : []
  return [...name, ...Object.values(value).flatMap(namesIn)]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function list(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}
