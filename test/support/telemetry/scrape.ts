import { expect } from 'vitest'
import type { Process } from '../commands/process.ts'
import { parseExposition, type Exposition } from './prometheus-text.ts'

/** Where a worker or `serve` answers monitors, by its log. */
export async function healthUrlOf(running: Process): Promise<URL> {
  const line = /health is answered at (http:\/\/\S+\/healthz)/
  await expect.poll(() => running.stderr, { timeout: 60_000 }).toMatch(line)
  return new URL(line.exec(running.stderr)?.[1]?.replace(/".*/, '') ?? '')
}

/** What Prometheus would get of it. */
export async function scrape(
  running: Process,
): Promise<{ readonly text: string; readonly metrics: Exposition }> {
  const response = await fetch(new URL('/metrics', await healthUrlOf(running)))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  return { text, metrics: parseExposition(text) }
}
