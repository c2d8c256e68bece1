/** The dashboard and the alert rules of docs/operate/grafana, as their tests and their check read them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'

const folder = join(import.meta.dirname, '../../../docs/operate/grafana')

export interface Panel {
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: { readonly uid: string }
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
}

export interface Dashboard {
  readonly editable: boolean
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] }
}

export interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export async function readDashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(join(folder, 'dashboard.json'), 'utf8')) as Dashboard
}

export async function readAlerts(): Promise<readonly Alert[]> {
  const { groups } = parse(await readFile(join(folder, 'alerts.yaml'), 'utf8')) as {
    groups: readonly { rules: readonly Alert[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}

/** Of the panels, and of the variables that choose what they show. */
export function queriesOf({ panels }: Dashboard): readonly string[] {
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

/** The metrics that a query of Prometheus names. */
export function metricsIn(query: string): readonly string[] {
  const withoutLabels = query.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\b(?:by|on|without)\s*\([^)]*\)/g, '')
  return [...withoutLabels.matchAll(/\b(?:headcount|http|db)_\w+/g)].map(([name]) => name)
}
