// Scenarios recorded from real salt-ssh (the README beside the recordings has the format).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../area.ts'

export interface Step {
  run?: string
  stdin?: string
  exit?: number
  stdout?: string
  stderr?: string
  json?: Json
  /** Only these keys of a host's answer were kept in `json`. */
  kept_keys?: string[]
  action?: string
  path?: string
  text?: string
  observed?: string
  exists?: boolean
  mode?: string
  owner?: string
  entries?: string[]
}

export interface Scenario {
  scenario: string
  setup: {
    master: { [option: string]: Json }
    roster?: string
    files?: { [path: string]: string }
    home?: { [path: string]: string }
    known_hosts?: 'accepted' | 'none' | 'changed'
    minion_cache?: { [id: string]: { grains?: Json; pillar?: Json } }
  }
  steps: Step[]
}

/** Return the scenarios of a directory, or of the folder `ssh` in it. */
export function readScenarios(directory: string, filter?: string): Scenario[] {
  const inner = join(directory, 'ssh')
  const folder = existsSync(inner) ? inner : directory
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario)
    .filter(({ scenario }) => filter === undefined || scenario.includes(filter))
}

/** Put the values of this world in place of their placeholders, in every text of a value. */
export function placed<T>(value: T, values: Readonly<Record<string, string>>): T {
  const fill = (text: string): string => text.replace(/<([A-Z0-9_]+)>/g, (whole, name: string) => values[name] ?? whole)
  if (typeof value === 'string') return fill(value) as T
  if (Array.isArray(value)) return value.map((item) => placed(item, values)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key), placed(item, values)])) as T
}

/** Name a step as reports and the table of accidents do. */
export const stepName = ({ scenario }: Scenario, index: number): string => `${scenario}/${index}`
