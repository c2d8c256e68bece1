import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openApi } from '../../../src/server/openapi/document.ts'
import { docsPage } from '../../../src/server/openapi/docs-page.ts'

const { htmlFor, contentSecurityPolicy } = docsPage(openApi())
const html = htmlFor('http://127.0.0.1:8080')
const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

test('the page tells everything that the document names', () => {
  const { paths, components, servers } = openApi()
  for (const path of Object.keys(paths)) expect(text).toContain(`GET ${servers[0]?.url}${path}`)
  for (const { get } of Object.values(paths)) {
    for (const parameter of get.parameters) if ('name' in parameter) expect(text).toContain(parameter.name)
  }
  for (const name of Object.keys({ ...components.parameters, ...components.headers })) {
    expect(text).toContain(name)
  }
  for (const schema of Object.values(components.schemas)) {
    for (const name of Object.keys(schema.properties ?? {})) expect(text).toContain(` ${name} `)
  }
  for (const { content } of Object.values(components.responses)) {
    for (const { schema } of Object.values(content ?? {})) {
      for (const code of schema.allOf?.[1]?.properties?.['code']?.enum ?? [])
        expect(text).toContain(` ${code} `)
    }
  }
})

test('the page loads nothing, runs nothing, and its header lets its own style in alone', () => {
  expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\bon[a-z]+=|javascript:|\bstyle=/i)
  const styles = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style = '']) => style)
  expect(styles).toHaveLength(1)
  const digest = createHash('sha256').update(styles.join('')).digest('base64')
  expect(contentSecurityPolicy).toContain(`default-src 'none'; style-src 'sha256-${digest}'`)
})

test('links on the page lead somewhere', () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const targets = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  const known = new Set([...ids.map((id) => `#${id}`), '/api/v1/openapi.json'])
  expect(targets.filter((href) => href === undefined || !known.has(href))).toEqual([])
})

test('what the document says is escaped', () => {
  expect(html).toContain('&lt;address&gt;; rel=&quot;next&quot;')
  expect(html).not.toContain('[object')
})
